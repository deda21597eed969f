import type { Message, StatusMarker } from '@panoptes/schema'
import { answers, calls } from '../tool-calls/messages.test-kit.ts'
import { createFlagWatch } from './watch.ts'

export const FUNCTIONAL: StatusMarker = {
  shipped: 'functional',
  stubs: 0,
  checks: [],
  behaviour_verified: 'yes',
  follow_ups: [],
}

export const flagsAfter = (
  messages: readonly Message[],
  status: Partial<StatusMarker> = {},
  agent = 'main',
) => {
  const watch = createFlagWatch('claude-code')
  for (const [n, each] of messages.entries()) watch.saw(each, n)
  return watch.findFlags(agent, { ...FUNCTIONAL, ...status })
}
let made = 0
export const lastCall = () => `c${made}`
export const run = (
  command: string,
  text: string,
  ok: boolean | null = true,
  tool = 'Bash',
): readonly Message[] => {
  made += 1
  return [calls(`c${made}`, tool, { command }), answers(`c${made}`, text, ok)]
}
export const does = (tool: string, input: unknown, ok: boolean | null = true): readonly Message[] => {
  made += 1
  return [calls(`c${made}`, tool, input), answers(`c${made}`, 'done', ok)]
}
export const wrote = (path: string, content: string) => does('Write', { file_path: path, content })
export const edited = (path: string, old_string: string, new_string: string) =>
  does('Edit', { file_path: path, old_string, new_string })
