import { type ChatInput, runtimeId } from '@panoptes/schema'

export interface Asked {
  readonly runtime?: string | undefined
  readonly model?: string | undefined
  readonly template?: string | undefined
  readonly files?: ChatInput['files'] | undefined
}

export function inputOf(message: string, { runtime, model, template, files = [] }: Asked): ChatInput {
  return {
    message,
    files,
    ...(runtime === undefined ? {} : { runtime: nameOf(runtime) }),
    ...(model === undefined ? {} : { model }),
    ...(template === undefined ? {} : { template }),
  }
}

/** An agent of acp may be called by its name alone. */
export const nameOf = (runtime: string): string =>
  runtimeId.safeParse(runtime).success ? runtime : `acp:${runtime}`
