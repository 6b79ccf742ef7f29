-- Store the result once, and mark the job as successful.
local _, _, id, result = unpack(ARGV)
if call('HGET', record(id), 'state') ~= 'running' then return end
call('SET', part(id, 'result'), result, 'PX', keep)
close(id, 'successful')
