import type { IconName } from '../design/icon.tsx'
import { words } from '../words.ts'
import { type Match, match } from './match.ts'

export interface PaletteItem {
  readonly id: string
  readonly group: 'goTo' | 'agents' | 'do' | 'find'
  readonly icon: IconName
  readonly title: string
  readonly hint: string
  readonly key?: string
  readonly run: () => void
}

export interface Found {
  readonly item: PaletteItem
  readonly match: Match
}

/** What was typed, apart: `@` narrows to agents, `>` to what can be done, `#` names an event. */
export interface Typed {
  readonly text: string
  readonly only: PaletteItem['group'] | null
  readonly seq: number | null
  readonly asksSeq: boolean
}

export function readTyped(value: string): Typed {
  const text = value.trim()
  if (text.startsWith('>')) return { text: text.slice(1).trim(), only: 'do', seq: null, asksSeq: false }
  if (text.startsWith('@')) return { text: text.slice(1).trim(), only: 'agents', seq: null, asksSeq: false }
  if (!text.startsWith('#')) return { text, only: null, seq: null, asksSeq: false }
  const digits = text.slice(1).replaceAll(/[,.\s]/g, '')
  const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : null
  return { text, only: null, seq: seq === 0 ? null : seq, asksSeq: seq === null }
}

/** Matching items, best first within their group; groups keep their order. */
export function findItems(items: readonly PaletteItem[], typed: Typed): readonly Found[] {
  if (typed.seq !== null || typed.asksSeq) return []
  const found = items
    .filter((item) => typed.only === null || item.group === typed.only)
    .flatMap((item): Found[] => {
      const how = match(typed.text, item.title, item.hint)
      return how ? [{ item, match: how }] : []
    })
  const order: readonly PaletteItem['group'][] = ['goTo', 'agents', 'do', 'find']
  const rankOf = (group: PaletteItem['group']) => order.indexOf(group)
  return found.sort((a, b) => rankOf(a.item.group) - rankOf(b.item.group) || a.match.rank - b.match.rank)
}

export const groupTitle = (group: PaletteItem['group']): string => words.palette[group]
