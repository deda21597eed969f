import { type ForwardProblem, health, ingestReply, type Result } from '@panoptes/schema'
import { compressed } from './batch.ts'
import { type Hub, openHub } from './hub.ts'
import { hubName } from './hub-url.ts'

export type Contact =
  | { readonly ok: true; readonly version: string; readonly to: string }
  | { readonly ok: false; readonly problem: ForwardProblem }

const TIMEOUT_MS = 15_000

/** Checks whether a hub answers and accepts events with this token. The check stores nothing. */
export async function checkHub(
  to: string,
  token: () => Promise<Result<string>>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Contact> {
  const hub: Hub = openHub({ to, token, timeoutMs })
  const there = await hub.ask({ method: 'GET', path: '/health', reply: health, withoutToken: true }, signal)
  if (!there.ok) return { ok: false, problem: there.trouble }
  const nothing = { gzip: await compressed(''), bytes: 0 }
  const taken = await hub.ask({ method: 'POST', path: '/events', reply: ingestReply, body: nothing }, signal)
  if (!taken.ok) return { ok: false, problem: taken.trouble }
  return { ok: true, version: there.value.version, to: hubName(hub.url) }
}
