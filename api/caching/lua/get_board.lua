-- Give a board and renew its expiry.
local name, keep = unpack(ARGV)
local text = call('GET', P .. 'board:' .. name)
if text then
  local used = P .. 'boards:used'
  call('ZADD', used, now, name)
  for _, key in ipairs({P .. 'board:' .. name, used, P .. 'boards:sizes', P .. 'boards:bytes'}) do
    call('PEXPIRE', key, tonumber(keep))
  end
end
return text
