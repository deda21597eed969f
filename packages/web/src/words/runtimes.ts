import type { ChatErrorCode, RuntimeHealth } from '@panoptes/schema'

/** How a runtime is. */
export const states: Readonly<Record<RuntimeHealth['state'], string>> = {
  ready: 'ready',
  busy: 'busy',
  not_installed: 'not installed',
  not_configured: 'not set up',
  unreachable: 'not reached',
  unauthorized: 'key refused',
}

/** Why there is no answer, or not all of it. */
export const errors: Readonly<Record<ChatErrorCode, string>> = {
  not_configured: 'Not set up',
  not_installed: 'Not installed',
  unreachable: 'Not reached',
  unauthorized: 'Key refused',
  rate_limited: 'Too many requests',
  too_long: 'Too long for it',
  provider_error: 'The provider failed',
  timed_out: 'No answer in time',
  malformed: 'Broken answer',
  died: 'It broke off',
  interrupted: 'Panoptes stopped meanwhile',
  refused: 'Refused',
  internal: 'Something went wrong',
}

/** What to do about it; where nothing stands, what the runtime said is all that is known. */
export const errorsNext: Readonly<Partial<Record<ChatErrorCode, string>>> = {
  not_configured: 'Name it under runtimes in config.yaml, or let another runtime answer.',
  not_installed: 'Install it, or let another runtime answer.',
  unreachable: 'See whether it runs and the address in config.yaml is right, then retry.',
  unauthorized: 'Set its key in the environment that Panoptes starts in, or in config.yaml, then retry.',
  rate_limited: 'Wait a little, then retry, or let another runtime answer.',
  too_long: 'Fork from an earlier message, take files away, or choose a model that reads more.',
  provider_error: 'Retry, or choose another model.',
  timed_out: 'Retry, or choose another model.',
  malformed: 'Retry, or choose another model.',
  died: 'Retry. Where it happens again, see what it says in its own terminal.',
  interrupted: 'Nothing is lost but the rest of this answer: retry.',
}

/** What is known of choices by their names; others are shown as they are given. */
export const choices: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow in this chat',
  always: 'Always allow',
  deny: 'Deny',
}
