import { z } from 'zod'
import { role, spaceName } from './team.ts'

const address = (
  protocols: readonly string[],
  example: string,
  splitParts: (text: string) => readonly string[] = (text) => [text],
) =>
  z
    .string(`must be an address such as ${example}`)
    .refine(
      (text) => splitParts(text).every((part) => protocols.includes(URL.parse(part)?.protocol ?? '')),
      `must be an address such as ${example}`,
    )

export const POSTGRES_PROTOCOLS = ['postgres:', 'postgresql:'] as const
/** One server, or several separated by commas, of which one accepts writes. */
export const ledgerAddress = address(POSTGRES_PROTOCOLS, 'postgres://panoptes@db/panoptes', parseServers)
/** One server, or several separated by commas. */
export const busAddress = address(['nats:', 'tls:'], 'nats://127.0.0.1:4222', (text) => text.split(','))
export const hubAddress = address(['http:', 'https:'], 'https://panoptes.example')

const network = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  'must be an address or a network such as 10.0.0.0/8',
)

/** People sign in with an OpenID Connect provider. */
const signIn = z.strictObject({
  issuer: hubAddress,
  client_id: z.string('must be the name of this client').min(1, 'must not be empty'),
  /** The environment variable that holds the secret; a public client has none. */
  client_secret_env: z
    .string('must be the name of a variable')
    .min(1, 'must not be empty')
    .nullable()
    .default(null),
  /**
   * People of these domains are added automatically, with `role` in `space`; everyone else has to
   * be added first.
   */
  domains: z.array(z.string().min(1), 'must be a list of domains').default([]),
  role: role.default('member'),
  space: spaceName.default('main'),
})

export const teamConfig = z
  .strictObject({
    ledger: ledgerAddress.nullable().default(null),
    bus: busAddress.nullable().default(null),
    /** The size of each space's stream on the bus, which is reserved from the beginning. */
    bus_max_mb: z.int('must be a whole number of megabytes').min(16, 'must be at least 16').default(1_024),
    /** The space of the agents on this computer. */
    space: spaceName.default('main'),
    /** The public address of the hubs, if they are behind a proxy. */
    public_url: hubAddress.nullable().default(null),
    /**
     * Proxies on other computers whose client addresses are trusted; those on this computer always
     * are.
     */
    trusted_proxies: z.array(network, 'must be a list of addresses or networks').default([]),
    sign_in: signIn.nullable().default(null),
    /** The sustained rate and the burst of requests per token, on each hub. */
    rate_per_second: z.number('must be a number of requests').positive('must be over 0').default(100),
    rate_burst: z.int('must be a whole number of requests').min(1, 'must be at least 1').default(1_000),
    /** The maximum size of the log of each space; null sets no limit. */
    max_size_mb: z
      .number('must be a number of megabytes')
      .min(16, 'must be at least 16')
      .nullable()
      .default(null),
    /** How long audit entries are kept; null keeps them forever. */
    audit_days: z.number('must be a number of days').positive('must be over 0').nullable().default(365),
  })
  .prefault({})

export const FORWARDED = ['events', 'metadata', 'transcripts'] as const
export type Forwarded = (typeof FORWARDED)[number]

export const forwardConfig = z
  .strictObject({
    to: hubAddress.nullable().default(null),
    /** The file that holds the token; null uses `tokens/forward` in the home. */
    token_file: z.string('must be a file').min(1, 'must not be empty').nullable().default(null),
    what: z.enum(FORWARDED, 'must be events, metadata or transcripts').default('metadata'),
    /**
     * The maximum disk space of waiting events. Beyond it the oldest are dropped, which is
     * reported.
     */
    max_waiting_mb: z.number('must be a number of megabytes').min(16, 'must be at least 16').default(4_096),
    /** The maximum rate of sending; null sets no limit. */
    max_kb_per_second: z
      .number('must be a number of kilobytes')
      .positive('must be over 0')
      .nullable()
      .default(null),
  })
  .prefault({})
export type ForwardConfig = z.output<typeof forwardConfig>

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
