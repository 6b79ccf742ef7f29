-- One step: the nonce is unused, or bound to the same question and choices; otherwise nothing is changed.
local name, asked, lives, fresh, spent, chosen, reveals = unpack(ARGV)
local record = P .. 'nonce:' .. name
-- Once the secret is public it decides nothing, even if a clock has been set back since.
if tonumber(call('ZSCORE', P .. 'latest', 'latest') or 0) >= tonumber(reveals) then return 'late' end
local before = call('HGET', record, 'asked')
if call('HEXISTS', record, 'spent') == 1 then return 'used' end
if not before and fresh == '0' then return 'late' end
if before and before ~= asked then return 'used' end
chosen = cjson.decode(chosen)
for place, option in pairs(chosen) do
  local was = call('HGET', record, place)
  if was and was ~= option then return 'used' end
end
if not before then call('HSET', record, 'asked', asked) end
for place, option in pairs(chosen) do call('HSET', record, place, option) end
if spent == '1' then call('HSET', record, 'spent', 1) end
call('PEXPIRE', record, lives)
return 'fixed'
