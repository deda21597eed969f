import { words } from '../../words.ts'
import { costText } from '../figures.ts'
import type { BarRow } from './bars.ts'

const w = words.moa.bars

/** What a place cost in all: unknown where nothing is known, and marked where something is not. */
export const rowMoney = ({ cost, unknown }: Pick<BarRow, 'cost' | 'unknown'>): string =>
  cost === null ? w.unknown : unknown > 0 ? w.atLeast(costText(cost)) : costText(cost)
