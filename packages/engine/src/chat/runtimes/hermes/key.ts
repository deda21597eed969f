import { homedir } from 'node:os'
import { join } from 'node:path'
import { readRegular } from '@panoptes/engine/home'
import type { HermesConfig } from '@panoptes/schema'

type Env = Readonly<Record<string, string | undefined>>

/** The variable Hermes itself uses for the key of its API server. */
const USUAL = 'API_SERVER_KEY'
const MOST_CHARS = 100_000

/** Returns the key for an address. The key of the local Hermes is only used for this computer. */
export async function keyFor(
  url: string,
  { api_key_env, api_key_file }: Pick<HermesConfig, 'api_key_env' | 'api_key_file'>,
  env: Env,
): Promise<string | null> {
  if (api_key_env !== undefined) return env[api_key_env]?.trim() || null
  if (api_key_file !== undefined) return (await textIn(inHome(api_key_file, env)))?.trim() || null
  if (!isHere(url)) return null
  return env[USUAL]?.trim() || (await hermesVariables(env))[USUAL] || null
}

/** Reads the API server variables from the `.env` of Hermes, which is never written. */
export async function hermesVariables(env: Env): Promise<Readonly<Record<string, string>>> {
  const text = await textIn(join(env.HERMES_HOME || join(env.HOME || homedir(), '.hermes'), '.env'))
  const found: Record<string, string> = {}
  for (const line of (text ?? '').split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?(API_SERVER_[A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) found[name] = unquoted(value)
  }
  return found
}

const unquoted = (value: string): string =>
  /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value.replace(/\s+#.*$/, '')

export const isHere = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(new URL(url).hostname)

const inHome = (file: string, env: Env): string =>
  file.startsWith('~/') ? join(env.HOME || homedir(), file.slice(2)) : file

async function textIn(file: string): Promise<string | null> {
  try {
    return (await readRegular(file)).slice(0, MOST_CHARS)
  } catch {
    return null
  }
}
