-- Record that the process of a chunk has ended; gives the queue to send the chunk to.
local _, _, id, chunk, most_attempts, how = unpack(ARGV)
return lose(id, chunk, tonumber(most_attempts), how)
