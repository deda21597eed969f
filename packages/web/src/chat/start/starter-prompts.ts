import type { SessionSummary } from '@panoptes/schema'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'

const w = words.chat.empty

/** Suggests three questions about the most recent projects, or general ones if there are none. */
export function starterQuestions(sessions: readonly SessionSummary[]): readonly string[] {
  const latest = [...sessions].sort((a, b) => b.last_at - a.last_at)
  const projects = [...new Set(latest.flatMap(({ project }) => (project ? [oneLine(project, 40)] : [])))]
  if (projects.length === 0) return w.general
  return w.starter.map((ask, i) => ask(projects[i % projects.length] ?? ''))
}
