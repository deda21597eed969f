import type { PastSession, Spent } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { money, spentWords, timeWords, tokenWords } from './format.ts'

type Fact = readonly [name: string, fact: string]

/** Lists the metadata for a session's head. Facts that a format adds come before the cost. */
export function sessionFacts(session: PastSession, beyond: readonly Fact[] = []): readonly Fact[] {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Session', session.id],
    ['Source', session.source],
    ['Project', session.project],
    ['Folder', session.cwd],
    ['Branch', session.git_branch],
    ['Model', session.model],
    ['Prompts only', session.prompts_only ? onlyPrompts(session) : null],
    ['From', timeWords(session.started_at)],
    ['To', timeWords(session.last_at)],
    [
      'Messages',
      `${session.messages}, ${plural(session.tool_calls, 'tool call')}, ${plural(session.errors, 'error')}`,
    ],
    ...beyond,
    ['Tokens', session.prompts_only ? 'unknown' : spentTokens(session.spent)],
    ['Cost', session.prompts_only ? 'unknown' : spentWords(session.spent)],
    ['Cost outside the transcript', outsideWords(session.outside_micro_usd)],
    ['Tags', session.tags.join(', ')],
  ]
  return facts.flatMap(([name, fact]) => (fact ? [[name, fact] as const] : []))
}

const onlyPrompts = ({ source }: PastSession): string =>
  `${source} deleted the rest of this session before Panoptes read it`

/** Formats the reported tokens and the number of replies without counts. */
function spentTokens(spent: Spent): string {
  const { input, output, cache_read, cache_write, usage_unknown: unknown } = spent
  if (unknown === 0) return tokenWords(spent)
  const hasTokens = input + output + cache_read + cache_write > 0
  return hasTokens ? `${tokenWords(spent)} and ${plural(unknown, 'reply', 'replies')} unknown` : 'unknown'
}

const outsideWords = (micro: number | null | undefined): string =>
  micro === null || micro === undefined ? 'unknown' : money(micro)
