import type { TaskType } from '@panoptes/schema'
import type { TemplateEntry } from './file.ts'
import { hasUsableExamples } from './inject/index.ts'
import type { SessionWork } from './session-history.ts'
import { detectTaskType } from './task-type.ts'
import type { Kind, OwnTools } from './tool-kinds.ts'

export interface ChoiceInput {
  /** The user's first message. */
  readonly prompt?: string | undefined
  readonly project?: string | undefined
  /** Recent sessions, newest first. */
  readonly works: readonly SessionWork[]
  readonly known: readonly TemplateEntry[]
  readonly own?: OwnTools | undefined
}

export interface Choice {
  readonly chosen: TemplateEntry | undefined
  readonly type: TaskType | undefined
  /** Why this template was chosen, or why none was. */
  readonly reasons: readonly string[]
}

/** A kind with less than this share of the likeliest kind's evidence is too unlikely. */
const NEAR = 0.5

/**
 * Returns the least used template of a type, then the oldest. A template without usable examples is
 * never chosen.
 */
export function leastUsed(entries: readonly TemplateEntry[], type: TaskType): TemplateEntry | undefined {
  return entries
    .filter((one) => one.template.task_type === type && hasUsableExamples(one.template))
    .sort(compareUse)[0]
}

/**
 * Chooses a template for the work: by the kind that the first message and recent sessions suggest,
 * preferring the same project.
 */
export function chooseFor(input: ChoiceInput): Choice {
  const { known, project } = input
  const usable = known.filter(({ template }) => hasUsableExamples(template))
  if (usable.length === 0) return chooseNothing(['There is no template with examples yet.'])
  const kinds = rankKinds(input, usable)
  const [likeliest] = kinds
  if (likeliest === undefined) {
    return chooseNothing(['Neither the first message nor recent sessions show what type of work this is.'])
  }
  const passed: string[] = []
  for (const { type, reasons, points } of kinds) {
    if (points < likeliest.points * NEAR) break
    const of = usable.filter(({ template }) => template.task_type === type)
    const near = project === undefined ? [] : of.filter(({ notes }) => notes?.project === project)
    const chosen = leastUsed(near.length > 0 ? near : of, type)
    if (chosen) {
      return {
        chosen,
        type,
        reasons: [...passed, ...reasons, explainChoice(type, of.length, near.length, project)],
      }
    }
    passed.push(...reasons, `There is no template for ${type} work.`)
  }
  return { chosen: undefined, type: likeliest.type, reasons: passed }
}

const chooseNothing = (reasons: readonly string[]): Choice => ({
  chosen: undefined,
  type: undefined,
  reasons,
})

function explainChoice(type: TaskType, all: number, near: number, project: string | undefined): string {
  const many = near > 0 ? near : all
  const from = near > 0 ? ` made from sessions of ${project}` : ''
  return many === 1
    ? `It is the only template for ${type} work${from}.`
    : `It is the least used of ${many} templates for ${type} work${from}.`
}

function compareUse(
  { template: a, file }: TemplateEntry,
  { template: b, file: other }: TemplateEntry,
): number {
  if (a.usage_count !== b.usage_count) return a.usage_count - b.usage_count
  if (a.created_at !== b.created_at) return a.created_at - b.created_at
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return file < other ? -1 : 1
}

/** How likely a kind of work is, and the evidence for it. */
interface LikelyKind {
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

/** Limits the evidence of further words or sessions. */
const MOST_WORDS = 4
const MOST_SESSIONS = 20
/** The weight of all recent sessions together, in words. */
const SESSIONS_WEIGH = 3
const SHOWN_WORDS = 3

/**
 * Returns the kinds of work with any evidence, likeliest first. Ties go to the newest session's
 * kind, and to a specific kind over mixed.
 */
function rankKinds(signs: Signs, entries: readonly TemplateEntry[]): readonly LikelyKind[] {
  const found = [...suggestFromWords(signs.prompt ?? ''), ...suggestFromSessions(signs)]
  const all = found.length > 0 ? found : suggestFromTemplates(signs.project, entries)
  const types = [...new Set(all.map(({ type }) => type))]
  return types
    .map((type) => {
      const of = all.filter((one) => one.type === type)
      const points = of.reduce((sum, one) => sum + one.points, 0)
      return { type, points, reasons: of.flatMap(({ reasons }) => reasons) }
    })
    .sort((a, b) => b.points - a.points || Number(a.type === 'mixed') - Number(b.type === 'mixed'))
}

const suggestFromWords = (prompt: string): readonly LikelyKind[] =>
  [...findKindWords(prompt)].map(([type, words]) => ({
    type,
    points: Math.min(words.length, MOST_WORDS),
    reasons: [`The first message suggests ${type} work: ${words.slice(0, SHOWN_WORDS).join(', ')}.`],
  }))

function suggestFromSessions({ works, project, own }: Signs): readonly LikelyKind[] {
  const recent = works
    .filter((work) => work.tools.length > 0 && (project === undefined || work.project === project))
    .slice(0, MOST_SESSIONS)
  const counts = new Map<TaskType, number>()
  for (const { tools } of recent) {
    const type = detectTaskType(tools, own)
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

/** The fallback without other evidence: the kinds of this project's templates. */
function suggestFromTemplates(
  project: string | undefined,
  entries: readonly TemplateEntry[],
): readonly LikelyKind[] {
  if (project === undefined) return []
  const near = entries.filter(({ notes }) => notes?.project === project)
  const types = [...new Set(near.map(({ template }) => template.task_type))]
  return types.map((type) => ({
    type,
    points: near.filter(({ template }) => template.task_type === type).length,
    reasons: [`${project} has a template of ${type} work.`],
  }))
}

/** Words of a first message that suggest the tools needed. English, lower case, single words. */
const WORDS: Readonly<Record<Kind, string>> = {
  code: `calculate compute simulate simulation plot chart histogram csv dataset dataframe pandas numpy statistics
    regression notebook python algorithm sum average median percentile aggregate analyse analyze`,
  file: `edit file files folder refactor rename rewrite implement fix typo function class method module component
    readme docstring comment comments config lint types import imports style stylesheet changelog bug`,
  research: `research search google web website url article articles paper papers news latest compare comparison
    documentation docs sources cite citation survey summarise summarize alternatives release releases`,
  terminal: `run install deploy build compile test tests docker container kubernetes kubectl git commit push merge
    rebase branch npm pnpm yarn pip cargo server service restart log logs shell bash terminal command ssh
    port disk cron systemd`,
}

const KIND_OF: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(WORDS) as Kind[]).flatMap((kind) =>
    WORDS[kind].split(/\s+/).map((word): readonly [string, Kind] => [word, kind]),
  ),
)

/** Patterns that are not words but equally clear. */
const SIGNS: readonly { readonly sign: RegExp; readonly kind: Kind }[] = [
  { sign: /\bhttps?:\/\/[\w.-]{1,60}/i, kind: 'research' },
  {
    sign: /\b[\w-]{1,60}\.(?:ts|tsx|js|jsx|py|rs|go|java|rb|php|c|h|cpp|css|html|md|json|ya?ml|toml|sh|sql)\b/i,
    kind: 'file',
  },
  { sign: /(?:^|\s)(?:\.{0,2}\/)?(?:src|lib|app|test|tests|docs|packages)\/[\w./-]{1,60}/, kind: 'file' },
  { sign: /^\s{0,8}\$ \S{1,40}/m, kind: 'terminal' },
  { sign: /\bSELECT\b.{1,200}\bFROM\b/i, kind: 'code' },
]

const LONGEST = 4_000

/** Returns the evidence for each kind of work in a first message, each word once. */
function findKindWords(prompt: string): ReadonlyMap<Kind, readonly string[]> {
  const text = prompt.slice(0, LONGEST)
  const wordsByKind = new Map<Kind, Set<string>>()
  const add = (kind: Kind, word: string) =>
    wordsByKind.set(kind, (wordsByKind.get(kind) ?? new Set()).add(word))
  for (const { sign, kind } of SIGNS) {
    const found = sign.exec(text)?.[0].trim()
    if (found !== undefined) add(kind, found)
  }
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    const kind = KIND_OF.get(word)
    if (kind !== undefined) add(kind, word)
  }
  return new Map([...wordsByKind].map(([kind, words]) => [kind, [...words]]))
}
