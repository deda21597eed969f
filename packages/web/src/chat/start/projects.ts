import type { SessionSummary } from '@panoptes/schema'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'

const w = words.chat.empty

/** Three questions to begin with: about the projects that were worked on last, else about all of it. */
export function startersOf(sessions: readonly SessionSummary[]): readonly string[] {
  const latest = [...sessions].sort((a, b) => b.last_at - a.last_at)
  const projects = [...new Set(latest.flatMap(({ project }) => (project ? [oneLine(project, 40)] : [])))]
  if (projects.length === 0) return w.general
  return w.starter.map((ask, i) => ask(projects[i % projects.length] ?? ''))
}
