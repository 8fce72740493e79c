-- Takes a run whose epoch is still the one that was seen. KEYS: run. ARGV: seen epoch, node, address.
-- Gives {epoch, seq, open}, or nothing.
local run = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'open')
if not run[1] or tonumber(run[1]) ~= tonumber(ARGV[1]) then return {} end
local epoch = tonumber(run[1]) + 1
redis.call('HSET', KEYS[1], 'epoch', epoch, 'node', ARGV[2], 'address', ARGV[3])
return {epoch, tonumber(run[2]), tonumber(run[3])}
