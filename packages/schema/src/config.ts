import { z } from 'zod'
import { ACP_NAME, acpConfig, hermesConfig, jarvisConfig, mcpServer, runtimeName } from './chat/config.ts'
import { moaPreset, providerConfig } from './moa.ts'
import { forwardConfig, teamConfig } from './team-config.ts'
import { taskType } from './templates.ts'
import { timeZone } from './time.ts'

const days = z.number('must be a number of days').positive('must be over 0')

const dollars = z
  .number('must be a number of dollars')
  .min(0, 'must not be negative')
  .max(1_000_000, 'must not be over 1000000')

/** Dollars per million tokens. Cache prices default to the price of input. */
const price = z.strictObject({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
  cache_write_1h: dollars.optional(),
})

/** The origin of a page, as browsers send it. */
const origin = z
  .string('must be an origin')
  .refine(isOrigin, 'must be an origin such as http://127.0.0.1:9119')

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text
}

const share = z
  .number('must be a number from 0 to 1')
  .min(0, 'must be from 0 to 1')
  .max(1, 'must be from 0 to 1')
const uses = z.int('must be a whole number of uses').min(0, 'must not be negative')

/** How much may be spent on something in a period. */
const budget = z.strictObject({
  per: z.enum(['day', 'week', 'month', 'session'], 'must be day, week, month or session'),
  usd: dollars.refine((amount) => amount > 0, 'must be over 0'),
  project: z.string('must be the name of a project').min(1, 'must not be empty').optional(),
  source: z
    .string('must be the name of an agent, such as claude-code')
    .min(1, 'must not be empty')
    .optional(),
})
export type Budget = z.infer<typeof budget>

/**
 * Like Hermes, accepts yes as `full`. Unlike Hermes, rejects unknown values, because a typo must not disable
 * a filter.
 */
function toFilter(value: unknown): unknown {
  const word = String(value ?? '').toLowerCase()
  if (['', 'off', 'no', 'none', 'false', '0'].includes(word)) return ''
  return ['on', 'yes', 'true', '1'].includes(word) ? 'full' : word
}

/** `config.yaml`. Every key is optional; unknown keys are rejected, so that typos are noticed. */
export const config = z.strictObject({
  server: z
    .strictObject({
      host: z.string('must be a host name or address').default('127.0.0.1'),
      port: z
        .int('must be a whole number')
        .min(0, 'must be 0 to 65535')
        .max(65_535, 'must be 0 to 65535')
        .default(8201),
      allowed_hosts: z.array(z.string(), 'must be a list of host names').default([]),
    })
    .prefault({}),
  retention: z
    .strictObject({
      max_age_days: days.nullable().default(90),
      max_size_mb: z
        .number('must be a number of megabytes')
        .min(16, 'must be at least 16')
        .nullable()
        .default(2048),
      sessions_max_age_days: days.nullable().default(null),
    })
    .prefault({}),
  archive: z
    .strictObject({
      enabled: z.boolean('must be true or false').default(true),
      originals: z.boolean('must be true or false').default(false),
      exclude: z.array(z.string().min(1, 'must not be empty'), 'must be a list of projects').default([]),
      keep_days: days.nullable().default(null),
      max_size_mb: z
        .number('must be a number of megabytes')
        .min(16, 'must be at least 16')
        .nullable()
        .default(4096),
    })
    .prefault({}),
  capture: z
    .strictObject({
      transcripts: z.boolean('must be true or false').default(true),
    })
    .prefault({}),
  live: z
    .strictObject({
      answer_seconds: z
        .int('must be a whole number of seconds')
        .min(0, 'must not be negative')
        .max(600, 'must not be over 600')
        .default(0),
      notify_command: z.string('must be a command').min(1, 'must not be empty').nullable().default(null),
    })
    .prefault({}),
  achievements: z
    .strictObject({
      time_zone: timeZone.nullable().default(null),
      allowed_origins: z.array(origin, 'must be a list of origins').default([]),
    })
    .prefault({}),
  templates: z
    .strictObject({
      experiment: z
        .number('must be a number from 0 to 1, or null')
        .min(0, 'must be from 0 to 1')
        .max(1, 'must be from 0 to 1')
        .nullable()
        .default(null),
      tools: z
        .record(
          z.string().min(1, 'must be the name of a tool'),
          taskType.exclude(['mixed'], 'must be code, file, research or terminal'),
        )
        .default({}),
    })
    .prefault({}),
  skills: z
    .strictObject({
      window_days: days.default(30),
      validated_over_uses: uses.default(20),
      validated_over_rate: share.default(0.9),
      re_extract_over_uses: uses.default(5),
      re_extract_under_rate: share.default(0.6),
      archive_after_days: days.default(30),
      folders: z
        .array(z.string('must be a folder').min(1, 'must not be empty'), 'must be a list of folders')
        .default([]),
    })
    .prefault({}),
  budgets: z
    .strictObject({
      limits: z.array(budget, 'must be a list of budgets').default([]),
      warn_at: share.default(0.8),
      command: z.string('must be a command').min(1, 'must not be empty').nullable().default(null),
    })
    .prefault({}),
  providers: z.record(z.string().min(1, 'must be the name of a provider'), providerConfig).default({}),
  moa: z
    .strictObject({
      default_preset: z.string('must be the name of a preset').nullable().default(null),
      active_preset: z.string('must be the name of a preset').nullable().default(null),
      save_traces: z.boolean('must be true or false').default(false),
      trace_dir: z
        .preprocess((folder) => folder || null, z.string('must be a folder').nullable())
        .default(null),
      trace_max_mb: z.number('must be a number of megabytes').positive('must be over 0').default(64),
      trace_dir_max_mb: z.number('must be a number of megabytes').positive('must be over 0').default(2_048),
      privacy_filter: z
        .preprocess(toFilter, z.enum(['', 'display', 'full'], "must be '', display or full"))
        .default(''),
      from_hermes: z.boolean('must be true or false').default(false),
      presets: z.record(z.string().min(1, 'must be the name of a preset'), moaPreset).default({}),
    })
    .prefault({}),
  runtimes: z
    .strictObject({
      default: runtimeName.nullable().default(null),
      jarvis: jarvisConfig.nullable().default(null),
      hermes: hermesConfig.nullable().default(null),
      acp: z.record(z.string().regex(ACP_NAME, 'must be letters, digits, . _ or -'), acpConfig).default({}),
    })
    .prefault({}),
  chat: z
    .strictObject({
      refine_plan: z.boolean('must be true or false').default(false),
      budget_tokens: z
        .int('must be a whole number of tokens')
        .min(1_000, 'must be at least 1000')
        .max(2_000_000, 'must not be over 2000000')
        .default(32_000),
      approval_seconds: z
        .int('must be a whole number of seconds')
        .min(1, 'must be at least 1')
        .max(86_400, 'must not be over 86400')
        .default(300),
      knowledge: z
        .array(z.string('must be a folder').min(1, 'must not be empty'), 'must be a list of folders')
        .default([]),
      folder: z.string('must be a folder').min(1, 'must not be empty').nullable().default(null),
    })
    .prefault({}),
  mcp_servers: z.record(z.string().min(1, 'must be the name of a server'), mcpServer).default({}),
  team: teamConfig,
  forward: forwardConfig,
  layout: z.enum(['panoptes', 'hermes'], 'must be panoptes or hermes').default('panoptes'),
  layout_force: z.boolean('must be true or false').default(false),
  prices: z.record(z.string().min(1, 'must be the name of a model'), price).default({}),
  log: z
    .strictObject({
      level: z
        .enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug')
        .default('info'),
    })
    .prefault({}),
})
export type Config = z.output<typeof config>

/**
 * The maximum size of the log in bytes, or null. It is set in `retention` for one computer's file
 * and in `team` for a team's space.
 */
export function maxLogBytes({ retention, team }: Config, engine: string): number | null {
  const megabytes = engine === 'postgres' ? team.max_size_mb : retention.max_size_mb
  return megabytes === null ? null : Math.floor(megabytes * 1_048_576)
}
