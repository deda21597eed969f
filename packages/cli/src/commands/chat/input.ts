import { type ChatInput, runtimeNamed } from '@panoptes/schema'

export interface InputOptions {
  readonly runtime?: string | undefined
  readonly model?: string | undefined
  readonly template?: string | undefined
  readonly files?: ChatInput['files'] | undefined
}

export function buildChatInput(
  message: string,
  { runtime, model, template, files = [] }: InputOptions,
): ChatInput {
  return {
    message,
    ...(files.length === 0 ? {} : { files }),
    ...(runtime === undefined ? {} : { runtime: runtimeNamed(runtime) }),
    ...(model === undefined ? {} : { model }),
    ...(template === undefined ? {} : { template }),
  }
}
