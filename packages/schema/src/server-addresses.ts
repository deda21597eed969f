const ADDRESS = /^([^:/]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * Splits an address of several servers of one database, such as `postgres://db-a,db-b:5433/team`,
 * into one address per server.
 */
export function parseServers(address: string): readonly [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = ADDRESS.exec(address) ?? []
  const [first = '', ...others] = hosts.split(',')
  if (others.length === 0) return [address]
  return [`${before}${first}${after}`, ...others.map((host) => `${before}${host}${after}`)]
}
