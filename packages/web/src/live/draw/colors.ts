import type { Family } from '../model/names.ts'

const NAMES = [
  'text',
  'text-2',
  'text-3',
  'line',
  'line-strong',
  'raised',
  'gold',
  'gold-ink',
  'haiku',
  'sonnet',
  'opus',
  'other',
  'waiting',
  'stuck',
  'done',
  'partial',
  'failed',
  'canvas',
] as const

export type Colors = Readonly<Record<(typeof NAMES)[number], string>>

/** Reads the color tokens of an element; the graph may be darker than the page around it. */
export function readColors(element: Element): Colors {
  const style = getComputedStyle(element)
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colors
}

export const familyColor = (colors: Colors, family: Family): string => colors[family]
