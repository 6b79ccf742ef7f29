-- End a job because of a chunk, unless another worker has done the chunk in the meantime.
local _, _, id, chunk, cause = unpack(ARGV)
if call('HGET', record(id), 'state') ~= 'running' or call('HEXISTS', part(id, 'chunks'), chunk) == 1 then return end
close(id, 'failed', cause)
