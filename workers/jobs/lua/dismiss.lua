-- Dismiss a job that is open, and give it; one that has ended stays as it is.
local _, _, id = unpack(ARGV)
if is_open(call('HGET', record(id), 'state')) then close(id, 'dismissed') end
return read(id)
