import { z } from 'zod'
import { type RuntimeId, runtimeId } from './events.ts'

export const ACP_NAME = /^[\p{L}\p{N}._-]{1,64}$/u

/** As a person writes it; an ACP agent may be named without its prefix. */
export const runtimeName = z
  .string('must be the name of a runtime')
  .regex(/^(acp:)?[\p{L}\p{N}._-]{1,64}$/u, 'must be jarvis, hermes or the name of an agent of ACP')

export const toRuntimeId = (name: string): RuntimeId =>
  runtimeId.safeParse(name).success ? name : `acp:${name}`

const words = z
  .array(z.string('must be a word'), 'must be a list of words')
  .min(1, 'must name a program')
  .max(100, 'must not be over 100 words')

const environment = z.record(z.string(), z.string('must be a text')).default({})

/** One model of a provider, or a preset of several. */
export const jarvisConfig = z
  .strictObject({
    provider: z.string('must be the name of a provider').min(1, 'must not be empty').optional(),
    model: z.string('must be the name of a model').min(1, 'must not be empty').optional(),
    preset: z.string('must be the name of a preset').min(1, 'must not be empty').optional(),
  })
  .refine(
    ({ provider, model, preset }) =>
      preset === undefined
        ? provider !== undefined && model !== undefined
        : provider === undefined && model === undefined,
    'must have provider and model, or preset alone',
  )
export type JarvisConfig = z.infer<typeof jarvisConfig>

/** Its API server, or the command that speaks ACP. */
export const hermesConfig = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:8642' })
      .optional(),
    api_key_env: z.string('must be the name of a variable').min(1, 'must not be empty').optional(),
    api_key_file: z.string('must be a file').min(1, 'must not be empty').optional(),
    command: words.optional(),
    env: environment,
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), 'must have url or command')
export type HermesConfig = z.infer<typeof hermesConfig>

export const acpConfig = z.strictObject({
  command: words,
  env: environment,
  /** Its working folder; defaults to `chat.folder`. */
  cwd: z.string('must be a folder').min(1, 'must not be empty').optional(),
})
export type AcpConfig = z.infer<typeof acpConfig>

export const mcpServer = z
  .strictObject({
    command: z.string('must be a program').min(1, 'must not be empty').optional(),
    args: z.array(z.string('must be a word'), 'must be a list of words').default([]),
    env: environment,
    url: z.url({ protocol: /^https?$/, error: 'must be an address' }).optional(),
    headers: z.record(z.string(), z.string('must be a text')).default({}),
    /** Its tools that run without asking. */
    allow: z.array(z.string('must be the name of a tool'), 'must be a list of tools').default([]),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'must have command or url')
export type McpServer = z.infer<typeof mcpServer>
