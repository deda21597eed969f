import { z } from 'zod'
import { serversOf } from './servers-of.ts'
import { role, spaceName } from './team.ts'

const address = (
  protocols: readonly string[],
  example: string,
  partsOf: (text: string) => readonly string[] = (text) => [text],
) =>
  z
    .string(`must be an address such as ${example}`)
    .refine(
      (text) => partsOf(text).every((part) => protocols.includes(URL.parse(part)?.protocol ?? '')),
      `must be an address such as ${example}`,
    )

export const POSTGRES_PROTOCOLS = ['postgres:', 'postgresql:'] as const
/** Of one server, or of several with commas between their names, of which one takes writes. */
export const ledgerAddress = address(POSTGRES_PROTOCOLS, 'postgres://panoptes@db/panoptes', serversOf)
/** Of one server, or of several with commas between them. */
export const busAddress = address(['nats:', 'tls:'], 'nats://127.0.0.1:4222', (text) => text.split(','))
export const hubAddress = address(['http:', 'https:'], 'https://panoptes.example')

const network = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  'must be an address or a network such as 10.0.0.0/8',
)

/** People sign in with a provider of OpenID Connect. */
const signIn = z.strictObject({
  issuer: hubAddress,
  client_id: z.string('must be the name of this client').min(1, 'must not be empty'),
  /** The name of the variable in the environment that holds the secret; a public client has none. */
  client_secret_env: z
    .string('must be the name of a variable')
    .min(1, 'must not be empty')
    .nullable()
    .default(null),
  /** People of these domains come in by themselves, with `role` in `space`; everybody else has to be added first. */
  domains: z.array(z.string().min(1), 'must be a list of domains').default([]),
  role: role.default('member'),
  space: spaceName.default('main'),
})

export const teamConfig = z
  .strictObject({
    ledger: ledgerAddress.nullable().default(null),
    bus: busAddress.nullable().default(null),
    /** What the stream of each space may take on the bus, which keeps room for all of it from the beginning. */
    bus_max_mb: z.int('must be a whole number of megabytes').min(16, 'must be at least 16').default(1_024),
    /** The space that agents of this computer are in. */
    space: spaceName.default('main'),
    /** The address under which people reach the hubs, where that is a proxy's. */
    public_url: hubAddress.nullable().default(null),
    /** Proxies on other computers that are believed where a request is from; those of this computer always are. */
    trusted_proxies: z.array(network, 'must be a list of addresses or networks').default([]),
    sign_in: signIn.nullable().default(null),
    /** Requests that one token may make each second in the long run, and at once. Of each hub. */
    rate_per_second: z.number('must be a number of requests').positive('must be over 0').default(100),
    rate_burst: z.int('must be a whole number of requests').min(1, 'must be at least 1').default(1_000),
    /** The most that the log of each space may take; null sets no limit. */
    max_size_mb: z
      .number('must be a number of megabytes')
      .min(16, 'must be at least 16')
      .nullable()
      .default(null),
    /** How far the audit log goes back; null keeps it for ever. */
    audit_days: z.number('must be a number of days').positive('must be over 0').nullable().default(365),
  })
  .prefault({})

export const FORWARDED = ['events', 'metadata', 'transcripts'] as const
export type Forwarded = (typeof FORWARDED)[number]

export const forwardConfig = z
  .strictObject({
    to: hubAddress.nullable().default(null),
    /** The file that holds the token; null takes `tokens/forward` of the home. */
    token_file: z.string('must be a file').min(1, 'must not be empty').nullable().default(null),
    what: z.enum(FORWARDED, 'must be events, metadata or transcripts').default('metadata'),
    /** What waits to be sent takes no more of the disk than this; then the oldest goes, and it is said. */
    max_waiting_mb: z.number('must be a number of megabytes').min(16, 'must be at least 16').default(4_096),
    /** The most that is sent in a second; null sets no limit. */
    max_kb_per_second: z
      .number('must be a number of kilobytes')
      .positive('must be over 0')
      .nullable()
      .default(null),
  })
  .prefault({})
export type ForwardConfig = z.output<typeof forwardConfig>
