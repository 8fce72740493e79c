-- Starts a hot tail over. KEYS: head, tail. ARGV: generation, epoch, end, seconds to live, then the events.
redis.call('DEL', KEYS[1], KEYS[2])
for at = 5, #ARGV, 5 do
  redis.call('XADD', KEYS[2], '0-' .. ARGV[at + 1], 'e', ARGV[at], 'k', ARGV[at + 2], 't', ARGV[at + 3], 'b', ARGV[at + 4])
end
redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'epoch', ARGV[2], 'seq', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1
