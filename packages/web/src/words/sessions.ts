import type { FoundSource } from '@panoptes/schema'
import { retentionText, savedSessionsText } from '@panoptes/schema/reading'
import * as f from '../format.ts'
import { plural } from '../format.ts'

export const sessionsWords = {
  title: 'Sessions',
  sub: (sessions: number, sources: number) =>
    `${plural(sessions, 'session', 'sessions')} · ${plural(sources, 'source', 'sources')}`,
  table: 'Sessions, newest first',
  listWord: 'list',
  columns: {
    title: 'title',
    project: 'project',
    host: 'computer',
    source: 'source',
    model: 'model',
    when: 'when',
    messages: 'messages',
    tools: 'tool calls',
    errors: 'errors',
    activity: 'activity',
    cost: 'cost',
  },
  filter: {
    label: 'Filters',
    words: 'Search in all sessions',
    source: 'Source',
    project: 'Project',
    host: 'Computer',
    model: 'Model',
    since: 'Date',
    sinceDays: (days: number) => (days === 1 ? 'Today' : `Last ${f.count(days)} days`),
    between: (from: string | null, to: string | null) =>
      from === null ? `Until ${to}` : to === null ? `Since ${from}` : `${from} to ${to}`,
    tool: 'Tool',
    tag: 'Tag',
    cost: 'Cost',
    costOver: (money: string) => `${money} or more`,
    more: 'More',
    fewer: 'Fewer',
    saved: 'Saved',
    savedTitle: 'Saved filters',
    savedNone: 'No saved filters yet. Choose filters or search words, then save them under a name.',
    saveName: 'Name',
    save: 'Save these filters',
    saveNothing: 'Set a filter first, then save it.',
    saveForMembers: 'Only members and admins can save filters. Everyone in the space can use saved filters.',
    use: 'Use',
    remove: (name: string) => `Remove ${name}`,
    savedAs: (name: string) => `Saved as ${name}`,
    removed: (name: string) => `Removed ${name}`,
    errors: 'Has errors',
    clear: 'Clear filters',
    cleared: 'Filters cleared',
    nothing: 'No options yet',
  },
  tagAndMore: (tag: string, more: number) => `${tag} +${f.count(more)}`,
  hasNote: 'note',
  archived: 'archived',
  archivedNote: (source: string) => `${source} deleted this session. Panoptes kept it.`,
  /** How long an agent keeps its sessions, and what is saved of them; null if neither is known. */
  retention: ({ name, retention, saved }: FoundSource): string | null =>
    [retention && retentionText(name, retention), saved && savedSessionsText(name, saved)]
      .filter((part) => part !== undefined)
      .join(' ') || null,
  promptsOnly: 'prompts only',
  promptsOnlyNote: (source: string) =>
    `${source} deleted this session before Panoptes read it. Only your prompts are left.`,
  activity: 'Messages from start to end',
  messages: (n: number) => plural(n, 'message', 'messages'),
  toolCalls: (n: number) => plural(n, 'tool call', 'tool calls'),
  errors: (n: number) => plural(n, 'error', 'errors'),
  plusUnknown: (money: string, n: number) => `${money} + ${f.count(n)} unknown`,
  plusSessions: (money: string, n: number) => `${money} + ${plural(n, 'session', 'sessions')} unknown`,
  costUnknown: 'Unpriced',
  costLacks: (n: number) => `${plural(n, 'reply', 'replies')} unpriced`,
  reading: (done: number, total: number) =>
    `Reading ${f.count(done)} of ${plural(total, 'session', 'sessions')}`,
  readingNext: 'Sessions appear as Panoptes reads them. If Panoptes stops, it resumes where it left off.',
  pause: 'Pause',
  goOn: 'Resume',
  paused: (done: number, total: number) =>
    total === 0
      ? 'Reading is paused, so new sessions do not appear.'
      : `Reading is paused after ${f.count(done)} of ${plural(total, 'session', 'sessions')}.`,
  readFailed: (source: string, problem: string) => `Couldn’t read the sessions of ${source}: ${problem}`,
  readFailedNext:
    'The list shows the sessions read before the error. To find the cause, see Settings › Health.',
  health: 'Check health',
  loadFailed: 'Couldn’t load the list.',
  empty: {
    title: 'No sessions yet',
    body: 'Panoptes reads the sessions that agents store on this computer and never changes them. It searched these places:',
    looked: 'Places searched',
    next: 'A session appears here moments after its first message.',
    sources: 'See what Panoptes found on this computer',
  },
  search: {
    label: 'Search results',
    searching: 'Searching',
    found: (n: number, sessions: number, more: boolean) =>
      `${more ? `First ${f.count(n)}` : f.count(n)} in ${plural(sessions, 'session', 'sessions')}`,
    hits: (n: number) => plural(n, 'hit', 'hits'),
    more: 'Show more',
    moreHits: (n: number) => plural(n, 'more hit', 'more hits'),
    none: 'No messages contain all of these words. Try fewer words or filters.',
    failed: 'Search failed.',
    message: (n: number) => `message ${f.count(n + 1)}`,
    gone: 'This message no longer exists.',
  },
  noMatch: { title: 'No matching sessions', body: 'No session matches all of these filters.' },
}
