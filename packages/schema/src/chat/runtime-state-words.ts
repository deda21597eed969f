import type { RuntimeHealth } from './conversation.ts'

/** Describes the state of a runtime in the words that the page and the command line share. */
export const runtimeStateWords: Readonly<Record<RuntimeHealth['state'], string>> = {
  ready: 'ready',
  busy: 'busy',
  untried: 'configured, not tried yet',
  not_installed: 'not installed',
  not_configured: 'not set up',
  unreachable: 'not reached',
  unauthorized: 'key refused',
  failed: 'failed',
}
