import type { TaskType } from '@panoptes/schema'
import { kindWords } from './kind-words.ts'
import type { SessionWork } from './past.ts'
import type { Known } from './stored.ts'
import { taskTypeOf } from './task-type.ts'
import type { OwnTools } from './tool-kinds.ts'

/** How likely a kind of work is, and what speaks for it. */
export interface LikelyKind {
  readonly type: TaskType
  readonly points: number
  readonly reasons: readonly string[]
}

interface Signs {
  readonly prompt?: string | undefined
  readonly project?: string | undefined
  readonly works: readonly SessionWork[]
  readonly own?: OwnTools | undefined
}

/** More words of one kind, or more sessions, tell no more than these. */
const MOST_WORDS = 4
const MOST_SESSIONS = 20
/** What all recent sessions together weigh, in words. */
const SESSIONS_WEIGH = 3
const SHOWN_WORDS = 3

/** The kinds of work that something speaks for, the likeliest first; of those as likely what the newest session was, and a kind before none. */
export function kindsOfWork(signs: Signs, known: readonly Known[]): readonly LikelyKind[] {
  const found = [...fromWords(signs.prompt ?? ''), ...fromSessions(signs)]
  const all = found.length > 0 ? found : fromTemplates(signs.project, known)
  const types = [...new Set(all.map(({ type }) => type))]
  return types
    .map((type) => {
      const of = all.filter((one) => one.type === type)
      const points = of.reduce((sum, one) => sum + one.points, 0)
      return { type, points, reasons: of.flatMap(({ reasons }) => reasons) }
    })
    .sort((a, b) => b.points - a.points || Number(a.type === 'mixed') - Number(b.type === 'mixed'))
}

const fromWords = (prompt: string): readonly LikelyKind[] =>
  [...kindWords(prompt)].map(([type, words]) => ({
    type,
    points: Math.min(words.length, MOST_WORDS),
    reasons: [`The first message speaks of ${type} work: ${words.slice(0, SHOWN_WORDS).join(', ')}.`],
  }))

function fromSessions({ works, project, own }: Signs): readonly LikelyKind[] {
  const recent = works
    .filter((work) => work.tools.length > 0 && (project === undefined || work.project === project))
    .slice(0, MOST_SESSIONS)
  const counts = new Map<TaskType, number>()
  for (const { tools } of recent) {
    const type = taskTypeOf(tools, own)
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  const where = project === undefined ? '' : ` in ${project}`
  return [...counts].map(([type, count]) => ({
    type,
    points: (SESSIONS_WEIGH * count) / recent.length,
    reasons: [
      recent.length === 1
        ? `The last session${where} was ${type} work.`
        : `${count} of the last ${recent.length} sessions${where} ${count === 1 ? 'was' : 'were'} ${type} work.`,
    ],
  }))
}

/** Where nothing else is known: what this project has templates of. */
function fromTemplates(project: string | undefined, known: readonly Known[]): readonly LikelyKind[] {
  if (project === undefined) return []
  const near = known.filter(({ notes }) => notes?.project === project)
  const types = [...new Set(near.map(({ template }) => template.task_type))]
  return types.map((type) => ({
    type,
    points: near.filter(({ template }) => template.task_type === type).length,
    reasons: [`${project} has a template of ${type} work.`],
  }))
}
