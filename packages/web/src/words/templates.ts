import * as f from '../format.ts'
import { plural } from '../format.ts'

const sessions = (n: number): string => plural(n, 'session', 'sessions')

export const templatesWords = {
  title: 'Templates',
  sub: (templates: number, uses: number) =>
    `${plural(templates, 'template', 'templates')} · used ${times(uses)}`,
  table: 'Templates, newest first',
  listWord: 'list',
  type: 'Type',
  types: {
    code: 'code',
    file: 'file',
    research: 'research',
    terminal: 'terminal',
    mixed: 'mixed',
  },
  typeCount: (name: string, n: number) => `${name} ${f.count(n)}`,
  all: 'All',
  columns: {
    template: 'template',
    type: 'type',
    examples: 'examples',
    used: 'used',
    errors: 'tool errors, with vs. without',
    difference: 'difference',
    verdict: 'verdict',
  },
  noProject: 'project unknown',
  inHermes: 'from Hermes, read-only',
  needs: (n: number) => `needs ${f.count(n)} sessions with and ${f.count(n)} without`,
  scale: {
    fewer: (points: number) => `−${f.count(points)} fewer`,
    none: '0',
    more: (points: number) => `+${f.count(points)} more`,
  },
  interval: (difference: string, low: string, high: string) =>
    `${difference}, 95 % interval from ${low} to ${high}`,
  verdicts: {
    helps: 'Helps',
    harms: 'Harms',
    unclear: 'Unclear',
    no_evidence: 'No evidence yet',
    not_used: 'Not used yet',
  },
  compared: (withIt: number, without: number) => `${f.count(withIt)} with, ${f.count(without)} without`,
  sessions,

  effect: {
    title: (name: string) => `Does ${name} help?`,
    interval: '95 % interval',
    experiment: (share: number) =>
      share === 0.5 ? 'A/B test on, half of sessions' : `A/B test on, ${percent(share)} of sessions`,
    table: 'Sessions with and without the template',
    measure: 'measure',
    with: (n: number) => `with (${f.count(n)})`,
    without: (n: number) => `without (${f.count(n)})`,
    difference: 'difference',
    intervalLabel: 'interval',
    reading: 'reading',
    measures: {
      tool_errors: 'Tool errors',
      turns: 'Turns to finish',
      tokens: 'Tokens',
      outcome: 'Finished functional',
    },
    readings: { fewer: 'fewer', more: 'more', unclear: 'unclear', too_few: 'too few sessions' },
    wait: 'Comparing sessions',
  },
  percent,
  points: (n: string) => `${n} pts`,
  between: (low: string, high: string) => `${low} … ${high}`,

  suggested: {
    title: 'Suggested sessions',
    calls: (calls: number) => plural(calls, 'call', 'calls'),
    preview: 'Preview',
    previewLabel: (title: string) => `Preview a template from ${title}`,
    failed: 'Couldn’t load suggestions.',
  },

  panel: {
    label: (name: string) => `Template ${name}`,
    copyAs: 'Copy as',
    targets: {
      openai: 'OpenAI messages',
      anthropic: 'Anthropic messages',
      'hermes-prefill': 'Hermes prefill',
      'claude-hook': 'Claude Code hook answer',
    },
    copied: (as: string) => `Copied as ${as}. Counted as a use.`,
    from: 'from',
    fromSession: (id: string) => `session ${id}`,
    fromUnknown: 'from an unknown session',
    dateUnknown: 'date unknown',
    used: (n: number) => (n === 0 ? 'not used yet' : `used ${times(n)}`),
    characters: (n: number) => `${plural(n, 'character', 'characters')} in total`,
    failed: 'Couldn’t load the template.',
    wait: 'Loading the template',
  },
  examples: {
    title: 'Examples',
    order: 'in the order they ran',
    count: (n: number) => plural(n, 'example', 'examples'),
    arguments: 'Arguments',
    result: 'Result',
    noArguments: 'no arguments',
    noResult: 'No output.',
    worked: 'worked',
    failed: 'failed',
    removed: (n: number) => plural(n, 'secret removed', 'secrets removed'),
    leftOut: (n: number) => `${plural(n, 'character', 'characters')} left out`,
    more: (n: number) => `Show ${plural(n, 'more example', 'more examples')}`,
    moreText: (n: number) => `Show ${plural(n, 'more character', 'more characters')}`,
    none: 'This template has no examples, so no session gets it.',
  },

  actions: {
    make: 'From a session',
    delete: 'Delete',
    deleteLabel: (name: string) => `Delete ${name}`,
    deleted: (name: string) => `Deleted ${name}`,
    goneAlready: (name: string) => `${name} was already deleted`,
    restored: (name: string) => `Restored ${name}`,
    ofHermes: 'This template belongs to Hermes. Delete its file there.',
    show: 'Show',
  },

  make: {
    title: 'Template from a session',
    button: 'Make a template',
    search: 'Search in all sessions',
    choose: 'Choose a session that went well. Its first successful tool calls become the examples.',
    list: 'Sessions',
    none: 'No sessions match. Try fewer words.',
    empty: 'No sessions with tool calls yet. A session appears here moments after its first call.',
    searching: 'Searching',
    failed: 'Couldn’t load sessions.',
    back: 'Other session',
    reading: 'Loading the session',
    keeps: (examples: number, calls: number) =>
      `Keeps ${f.count(examples)} of ${plural(calls, 'tool call', 'tool calls')}`,
    looked: (turns: number) => `${plural(turns, 'turn', 'turns')} scanned`,
    failedCalls: (n: number) => `${f.count(n)} failed`,
    unanswered: (n: number) => `${f.count(n)} without a result`,
    clean: 'no secrets found',
    name: 'Name',
    type: 'Type',
    judged: (type: string) => `${type}, based on its tools`,
    asJudged: 'based on its tools',
    judgedOn: (counts: string) => `Calls: ${counts}`,
    judgedOnNothing: 'The session called no tools',
    counted: (n: number, what: string) => `${f.count(n)} ${what}`,
    other: 'other',
    examples: 'Maximum examples',
    nothing:
      'No tool call in this session’s first turns succeeded, so the template would be empty. Choose another session.',
    create: 'Create',
    creating: 'Creating',
    taken: 'A template with this name already exists. This one would replace it.',
    replace: 'Replace',
    created: (name: string) => `Created template ${name}`,
  },

  broken: {
    count: (n: number) =>
      n === 1
        ? '1 file is not a valid template. Panoptes leaves it unchanged:'
        : `${f.count(n)} files are not valid templates. Panoptes leaves them unchanged:`,
    more: (n: number) => `Show ${f.count(n)} more`,
    in: 'In',
    copyFolder: 'Copy the folder’s path',
    copyOurs: 'Copy the path of Panoptes’ folder',
    copyHermes: 'Copy the path of Hermes’ folder',
    copied: 'Copied the path',
  },
  loadFailed: 'Couldn’t load templates.',
  shownIsFrom: (ago: string) => `This list is from ${ago}.`,
  reading: 'Loading templates',
  empty: {
    title: 'No templates yet',
    body: 'A template keeps the first tool calls of a session that went well, so new sessions start with examples that worked. Panoptes removes secrets and measures whether the template helps.',
    folder: 'Templates are stored in',
    suggested: 'Good sessions to start from:',
    none: 'No suggestions yet. Sessions with at least five tool calls and few errors appear here.',
  },
  noMatch: { title: 'No templates of this type', body: 'Choose another type.' },
  clear: 'Show all',

  keys: { choose: 'choose a template', open: 'open the template', close: 'close the template' },
  palette: { make: 'Make a template', makeHint: 'from a session that went well' },
}

function times(n: number): string {
  return n === 1 ? 'once' : `${f.count(n)} times`
}

function percent(share: number): string {
  const of100 = share * 100
  const figure = of100 > 0 && of100 < 1 ? Math.round(of100 * 10) / 10 : Math.round(of100)
  return `${f.count(figure)} %`
}
