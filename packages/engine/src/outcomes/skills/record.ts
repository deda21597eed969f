import { randomUUID } from 'node:crypto'
import { redactEvent } from '@panoptes/engine/redact'
import { EVENT_VERSION, isName, type NewEvent, type RecordSkillInput } from '@panoptes/schema'
import { failure, type Result, success } from '@panoptes/schema/result'

const RECORDED_BY = 'panoptes'

/**
 * Records a reported skill use as an event of its own, so two equal reports are two uses. They
 * belong to a session of their day, and `from_hook` keeps it from being shown as a working agent.
 */
export function skillUseEvent(
  { skill, success: succeeded, agent_id, trajectory_id, duration_ms }: RecordSkillInput,
  { now, host }: { readonly now: number; readonly host: string },
): Result<NewEvent> {
  const wrong = Object.entries({ skill, agent_id, trajectory_id }).find(
    ([, value]) => value !== undefined && !isName(value),
  )
  if (wrong) return failure('invalid', `${wrong[0]} contains invalid characters or is too long`)
  if (duration_ms !== undefined && duration_ms < 0)
    return failure('invalid', 'duration_ms must not be negative')
  const id = randomUUID()
  const event: NewEvent = {
    v: EVENT_VERSION,
    key: `skill:${id}`,
    ts: now,
    event: 'skill_use',
    source: RECORDED_BY,
    host,
    session_id: `recorded-${formatDay(now)}`,
    from_hook: true,
    id,
    skill,
    success: succeeded,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(trajectory_id === undefined ? {} : { trajectory_id }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
  }
  return success(redactEvent(event).event)
}

const formatDay = (ts: number): string => {
  const date = new Date(ts)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
