import { hermesSendsWebhooks } from '@panoptes/engine/sources'

/** A webhook that Hermes sends, in the form of `hooks.outbound` in its config.yaml. */
export interface Webhook {
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly secret?: string
  readonly secret_env?: string
  readonly timeout: number
}

/** One command that Hermes runs for an event. */
export interface ShellHook {
  readonly command: string
  readonly timeout: number
}

export type DesiredHermesHooks =
  | { readonly form: 'webhook'; readonly webhook: Webhook }
  | { readonly form: 'shell'; readonly events: readonly string[]; readonly hook: ShellHook }
  | { readonly form: 'none' }

export const WEBHOOK_NAME = 'panoptes'
export const SECRET_VARIABLE = 'PANOPTES_HERMES_SECRET'

const SHELL = /(?:^|\/)panoptes-hook\.sh'? hermes(?: |$)/

/** The Hermes events that show which agent works, waits, fails and ends. */
export const HERMES_EVENTS: readonly string[] = [
  'on_session_start',
  'on_session_end',
  'on_session_finalize',
  'on_session_reset',
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'post_api_request',
  'subagent_start',
  'subagent_stop',
  'pre_approval_request',
  'post_approval_response',
  'on_skill_lifecycle',
]

/** Hermes supports these since it sends webhooks. Earlier versions log a warning for each. */
const LATER: ReadonlySet<string> = new Set(['on_skill_lifecycle'])

export const isOurWebhook = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && (entry as { name?: unknown }).name === WEBHOOK_NAME

export function isOurShellHook(entry: unknown): boolean {
  const command = (entry as { command?: unknown } | null | undefined)?.command
  return typeof command === 'string' && SHELL.test(command)
}

/** Returns the events that a version supports, or all of them when the version is unknown. */
export const supportedHermesEvents = (version: string | null): readonly string[] =>
  version === null || hermesSendsWebhooks(version)
    ? HERMES_EVENTS
    : HERMES_EVENTS.filter((event) => !LATER.has(event))
