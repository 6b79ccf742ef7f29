-- End a job over a chunk, unless somebody else has done the chunk meanwhile.
local _, _, id, chunk, cause = unpack(ARGV)
if call('HGET', record(id), 'state') ~= 'running' or call('HEXISTS', part(id, 'chunks'), chunk) == 1 then return end
close(id, 'failed', cause)
