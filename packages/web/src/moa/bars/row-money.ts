import { words } from '../../words.ts'
import { costText } from '../figures.ts'
import type { BarRow } from './bars.ts'

const w = words.moa.bars

/** What a place cost in all: unknown where nothing is known, marked where something is not, a dash where nobody was asked. */
export const rowMoney = ({ cost, unknown }: Pick<BarRow, 'cost' | 'unknown'>): string =>
  cost === null
    ? unknown > 0
      ? w.unknown
      : words.unknown
    : unknown > 0
      ? w.atLeast(costText(cost))
      : costText(cost)
