import { words } from '../../words.ts'
import { costText } from '../format.ts'
import type { BarRow } from './bars.ts'

const w = words.moa.bars

/**
 * Formats the cost of a slot: unknown without any price, a minimum if some prices are missing, and a dash if
 * it was never asked.
 */
export const rowMoney = ({ cost, unknown }: Pick<BarRow, 'cost' | 'unknown'>): string =>
  cost === null
    ? unknown > 0
      ? w.unknown
      : words.unknown
    : unknown > 0
      ? w.atLeast(costText(cost))
      : costText(cost)
