import type { Agent } from '@panoptes/schema'
import { errorsText, nameOf, nowText, oneLine, stateText, toolsText } from './words.ts'

/** One change as one line: when, which session, who, how it is and with what. */
export function plainLine(agent: Agent): string {
  const time = new Date(agent.last_at).toISOString().slice(11, 19)
  const rest = [toolsText(agent), errorsText(agent), nowText(agent)].filter(
    (part) => part !== '' && part !== '–',
  )
  const who = [oneLine(agent.session_id, 8), oneLine(nameOf(agent), 40), stateText(agent.state)]
  return [`${time}Z`, ...who, ...rest].join('  ')
}
