-- Writes events, all or none. KEYS: run, log, open runs.
-- ARGV: name, epoch, after, turn (keep, open, close), then epoch, seq, kind, time and body of each event.
-- Gives {what became of it, a number}. The order of the questions is the log's contract.
local run = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'open')
if not run[1] then return {'fenced', 0} end
local epoch, head = tonumber(run[1]), tonumber(run[2])
if epoch ~= tonumber(ARGV[2]) then return {'fenced', epoch} end

local function holds()
  if #ARGV < 9 then return false end
  for at = 5, #ARGV, 5 do
    local id = '0-' .. ARGV[at + 1]
    local found = redis.call('XRANGE', KEYS[2], id, id)[1]
    if not found then return false end
    local fields = found[2]
    if fields[2] ~= ARGV[at] or fields[4] ~= ARGV[at + 2] or fields[6] ~= ARGV[at + 3] or fields[8] ~= ARGV[at + 4] then
      return false
    end
  end
  return true
end

if tonumber(ARGV[3]) < head and holds() then return {'duplicate', 0} end
if tonumber(ARGV[3]) ~= head then return {'gap', head} end
if ARGV[4] == 'open' and run[3] == '1' then return {'busy', 0} end

local bytes = 0
for at = 5, #ARGV, 5 do
  redis.call('XADD', KEYS[2], '0-' .. ARGV[at + 1], 'e', ARGV[at], 'k', ARGV[at + 2], 't', ARGV[at + 3], 'b', ARGV[at + 4])
  bytes = bytes + #ARGV[at + 4]
  head = head + 1
end
redis.call('HSET', KEYS[1], 'seq', head)
redis.call('HINCRBY', KEYS[1], 'bytes', bytes)
if ARGV[4] == 'open' then
  redis.call('HSET', KEYS[1], 'open', 1)
  redis.call('SADD', KEYS[3], ARGV[1])
elseif ARGV[4] == 'close' then
  redis.call('HSET', KEYS[1], 'open', 0)
  redis.call('SREM', KEYS[3], ARGV[1])
end
return {'done', head}
