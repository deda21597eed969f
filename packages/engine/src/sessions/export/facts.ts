import type { PastSession } from '@panoptes/schema'
import { spentWords, timeWords, tokenWords } from './words.ts'

type Fact = readonly [name: string, fact: string]

/** What is known of a session, for its head; what a format has to say beyond that stands before what it cost. */
export function factsOf(session: PastSession, beyond: readonly Fact[] = []): readonly Fact[] {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Session', session.id],
    ['Source', session.source],
    ['Project', session.project],
    ['Folder', session.cwd],
    ['Branch', session.git_branch],
    ['Model', session.model],
    ['From', timeWords(session.started_at)],
    ['To', timeWords(session.last_at)],
    ['Messages', `${session.messages}, ${session.tool_calls} tool calls, ${session.errors} errors`],
    ...beyond,
    ['Tokens', tokenWords(session.spent)],
    ['Cost', spentWords(session.spent)],
    ['Tags', session.tags.join(', ')],
  ]
  return facts.flatMap(([name, fact]) => (fact ? [[name, fact] as const] : []))
}
