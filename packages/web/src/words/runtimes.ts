import type { ChatErrorCode } from '@panoptes/schema'
import { runtimeStateWords } from '@panoptes/schema/reading'

/** The state of a runtime, in the same words as the commands. */
export const states = runtimeStateWords

/** Why an answer is missing or incomplete. */
export const errors: Readonly<Record<ChatErrorCode, string>> = {
  not_configured: 'Not set up',
  not_installed: 'Not installed',
  unreachable: 'Not reached',
  unauthorized: 'Key refused',
  rate_limited: 'Too many requests',
  too_long: 'Too long for the model',
  provider_error: 'The provider failed',
  timed_out: 'No answer in time',
  malformed: 'Invalid answer',
  died: 'The runtime crashed',
  interrupted: 'Panoptes stopped',
  refused: 'Refused',
  internal: 'Something went wrong',
}

/** What to do about an error. Codes without an entry show only what the runtime reported. */
export const errorsNext: Readonly<Partial<Record<ChatErrorCode, string>>> = {
  not_configured: 'Add the runtime under runtimes in config.yaml, or use another runtime.',
  not_installed: 'Install the runtime, or use another one.',
  unreachable:
    'Check that the runtime is running and that its address in config.yaml is correct, then retry.',
  unauthorized: 'Set the runtime’s key in config.yaml or in the environment of Panoptes, then retry.',
  rate_limited: 'Wait a moment, then retry, or use another runtime.',
  too_long: 'Fork from an earlier message, remove files, or choose a model with a larger context.',
  provider_error: 'Retry, or choose another model.',
  timed_out: 'Retry, or choose another model.',
  malformed: 'Retry, or choose another model.',
  died: 'Retry. If the runtime crashes again, start it in a terminal and read its output.',
  interrupted: 'The rest of this answer is lost. Retry to get a complete answer.',
}

/** Labels of well-known choices. Other choices are shown as the runtime names them. */
export const choices: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow in this chat',
  always: 'Always allow',
  deny: 'Deny',
}
