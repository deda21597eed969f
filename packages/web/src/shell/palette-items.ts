import type { MeReply } from '@panoptes/schema'
import { canChangeFiles, canDecideForAll, hasRole } from '../api/me.ts'
import type { IconName } from '../design/icon.tsx'
import { words } from '../words.ts'
import { type Match, match } from './fuzzy-match.ts'

export interface PaletteItem {
  readonly id: string
  readonly group: 'goTo' | 'agents' | 'sessions' | 'do' | 'find'
  readonly icon: IconName
  readonly title: string
  readonly hint: string
  /** Text at the end of its line. */
  readonly end?: string
  readonly key?: string
  readonly run: () => void
}

const OF_MEMBERS: ReadonlySet<string> = new Set(['rescan', 'template', 'conversation', 'health'])

/** Whether the person may run an action; the palette offers no others. */
export function isOffered(id: string, me: MeReply | null): boolean {
  if (id === 'backup') return canChangeFiles(me)
  if (id === 'preset') return canDecideForAll(me)
  return hasRole(me, id === 'check' ? 'admin' : OF_MEMBERS.has(id) ? 'member' : 'viewer')
}

export interface FoundItem {
  readonly item: PaletteItem
  readonly match: Match
}

/** The parsed input: `@` narrows to agents, `#` to sessions or to an event by its seq, `>` to actions. */
export interface PaletteQuery {
  readonly text: string
  readonly only: PaletteItem['group'] | null
  readonly seq: number | null
}

export function parseQuery(value: string): PaletteQuery {
  const text = value.trim()
  const rest = text.slice(1).trim()
  if (text.startsWith('>')) return { text: rest, only: 'do', seq: null }
  if (text.startsWith('@')) return { text: rest, only: 'agents', seq: null }
  if (!text.startsWith('#')) return { text, only: null, seq: null }
  const digits = rest.replaceAll(/[,.\s]/g, '')
  const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : 0
  return { text: rest, only: 'sessions', seq: seq === 0 ? null : seq }
}

/** Returns matching items, best first within their group; groups keep their order. */
export function findItems(items: readonly PaletteItem[], typed: PaletteQuery): readonly FoundItem[] {
  const found = items
    .filter((item) => typed.only === null || item.group === typed.only)
    .flatMap((item): FoundItem[] => {
      const how = match(typed.text, item.title, item.hint)
      return how ? [{ item, match: how }] : []
    })
  const order: readonly PaletteItem['group'][] = ['goTo', 'agents', 'sessions', 'do', 'find']
  const groupRank = (group: PaletteItem['group']) => order.indexOf(group)
  return found.sort(
    (a, b) => groupRank(a.item.group) - groupRank(b.item.group) || a.match.rank - b.match.rank,
  )
}

/** The limit for agents and sessions while the list is not narrowed to them. */
const FEW = 5
const MANY: readonly PaletteItem['group'][] = ['agents', 'sessions']

export const shorten = (found: readonly FoundItem[], typed: PaletteQuery): readonly FoundItem[] => {
  if (typed.only !== null) return found
  const rest = new Set(MANY.flatMap((group) => found.filter(({ item }) => item.group === group).slice(FEW)))
  return found.filter((one) => !rest.has(one))
}

export const groupTitle = (group: PaletteItem['group']): string => words.palette[group]
