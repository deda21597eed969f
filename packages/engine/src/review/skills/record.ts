import { randomUUID } from 'node:crypto'
import { redactEvent } from '@panoptes/engine/redact'
import { EVENT_VERSION, isName, type NewEvent, type RecordSkillInput } from '@panoptes/schema'
import { failure, type Result, success } from '@panoptes/schema/result'

const RECORDED_BY = 'panoptes'

/**
 * A use of a skill that somebody told of, as an event of its own: two that are alike are two uses. They lie in a session of their
 * day, and `from_hook` keeps it from being shown as an agent at work.
 */
export function skillUseEvent(
  { skill, success: succeeded, agent_id, trajectory_id, duration_ms }: RecordSkillInput,
  { now, host }: { readonly now: number; readonly host: string },
): Result<NewEvent> {
  const wrong = Object.entries({ skill, agent_id, trajectory_id }).find(
    ([, value]) => value !== undefined && !isName(value),
  )
  if (wrong) return failure('invalid', `${wrong[0]} has characters that no name may have, or is too long`)
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
    session_id: `recorded-${dayOf(now)}`,
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

const dayOf = (ts: number): string => {
  const date = new Date(ts)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
