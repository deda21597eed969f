const ADDRESS = /^([^:/]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/** `postgres://db-a,db-b:5433/team` names two servers of one database: the address of each of them. */
export function serversOf(address: string): readonly [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = ADDRESS.exec(address) ?? []
  const [first = '', ...others] = hosts.split(',')
  if (others.length === 0) return [address]
  return [`${before}${first}${after}`, ...others.map((host) => `${before}${host}${after}`)]
}
