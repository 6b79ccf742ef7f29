-- Dismiss an open job, and give it; a job that has ended stays as it is.
local _, _, id = unpack(ARGV)
if is_open(call('HGET', record(id), 'state')) then close(id, 'dismissed') end
return read(id)
