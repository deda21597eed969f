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

export type HermesWish =
  | { readonly form: 'webhook'; readonly webhook: Webhook }
  | { readonly form: 'shell'; readonly events: readonly string[]; readonly hook: ShellHook }
  | { readonly form: 'none' }

export const WEBHOOK_NAME = 'panoptes'
export const SECRET_VARIABLE = 'PANOPTES_HERMES_SECRET'

const SHELL = /(?:^|\/)panoptes-hook\.sh'? hermes(?: |$)/

export const isOurWebhook = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && (entry as { name?: unknown }).name === WEBHOOK_NAME

export function isOurShellHook(entry: unknown): boolean {
  const command = (entry as { command?: unknown } | null | undefined)?.command
  return typeof command === 'string' && SHELL.test(command)
}
