import { sum } from '@panoptes/schema/numbers'
import { planBudget, skillsBudget } from './advice.ts'
import { filesBudget, filesTokens } from './files.ts'
import type { ContextInput, SectionSource } from './port.ts'
import { templateBudget } from './template.ts'
import { countTokens } from './tokens.ts'
import type { WindowBudgets } from './window.ts'

/** Tokens of the empty lines between sections. */
const BETWEEN = 16

export const summaryBudget = (total: number): number => Math.min(2_000, Math.floor(total / 16))
/** The budget for what is new in a frozen section and goes with a message. */
export const updateBudget = (total: number): number => Math.min(600, Math.floor(total / 24))

export interface Shares extends WindowBudgets {
  /** Tokens besides the message itself. */
  readonly free: number
  readonly files: number
}

/** Returns the maximum of each part, so that all of them together fit. */
export function computeShares(
  sources: readonly SectionSource[],
  { message, files, template, conversation, budgetTokens }: ContextInput,
): Shares {
  const free = Math.max(0, budgetTokens - countTokens(message))
  const most = filesBudget(free)
  const share = { free, files: Math.min(most, filesTokens(files, most)) }
  const of = (frozen: boolean) =>
    sum(sources.filter((source) => source.frozen === frozen).map(({ budget }) => budget(free)))
  const preamble =
    of(false) +
    skillsBudget(free) +
    planBudget(free) +
    updateBudget(free) +
    (template === null ? 0 : templateBudget(free)) +
    share.files +
    BETWEEN
  return {
    ...share,
    going: free - preamble - countTokens(conversation.epoch?.baseline ?? ''),
    beginning: Math.max(0, free - preamble - of(true) - summaryBudget(free)),
  }
}
