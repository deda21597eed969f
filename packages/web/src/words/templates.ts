import * as f from '../format.ts'
import { plural } from './plural.ts'

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
    errors: 'tool errors, with against without',
    difference: 'difference',
    verdict: 'verdict',
  },
  noProject: 'project unknown',
  inHermes: 'of Hermes, only read',
  needs: (n: number) => `needs ${f.count(n)} sessions on each side`,
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
      share === 0.5 ? 'A/B on, half of sessions' : `A/B on, ${percent(share)} of sessions`,
    table: 'Sessions with it against sessions without it',
    measure: 'measure',
    with: (n: number) => `with (${f.count(n)})`,
    without: (n: number) => `without (${f.count(n)})`,
    difference: 'difference',
    intervalOf: 'interval',
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
    title: 'Worth a template',
    calls: (calls: number) => plural(calls, 'call', 'calls'),
    preview: 'Preview',
    previewOf: (title: string) => `Preview a template of ${title}`,
    failed: 'Sessions worth a template could not be looked for.',
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
    copied: (as: string) => `Copied as ${as}. It counts as a use`,
    from: 'from',
    fromSession: (id: string) => `session ${id}`,
    fromUnknown: 'from an unknown session',
    dateUnknown: 'date unknown',
    used: (n: number) => (n === 0 ? 'not used yet' : `used ${times(n)}`),
    characters: (n: number) => `${plural(n, 'character', 'characters')} in them`,
    failed: 'The template could not be read.',
    wait: 'Reading the template',
  },
  examples: {
    title: 'Examples',
    order: 'in the order they ran',
    count: (n: number) => plural(n, 'example', 'examples'),
    arguments: 'Arguments',
    result: 'Result',
    noArguments: 'no arguments',
    noResult: 'It printed nothing.',
    worked: 'worked',
    failed: 'failed',
    removed: (n: number) => plural(n, 'secret removed', 'secrets removed'),
    leftOut: (n: number) => `${plural(n, 'character', 'characters')} left out`,
    more: (n: number) => `Show ${plural(n, 'more example', 'more examples')}`,
    moreText: (n: number) => `Show ${plural(n, 'more character', 'more characters')}`,
    none: 'It has no examples, so it is never given to a session.',
  },

  actions: {
    make: 'From a session',
    delete: 'Delete',
    deleteOf: (name: string) => `Delete ${name}`,
    deleted: (name: string) => `Deleted ${name}`,
    goneAlready: (name: string) => `${name} was gone already`,
    restored: (name: string) => `${name} is back`,
    ofHermes: 'Hermes keeps this one. Delete its file there.',
    failed: (reason: string) => `That did not work: ${reason}`,
    show: 'Show',
  },

  make: {
    title: 'Template from a session',
    button: 'Make a template',
    search: 'Search in all sessions',
    choose: 'Choose a session that went well. Its first tool calls that worked become examples.',
    list: 'Sessions',
    none: 'No session has these words. Fewer words may find one.',
    empty: 'No session that called a tool was found yet. One shows here within moments of its first call.',
    searching: 'Searching',
    failed: 'The sessions could not be read.',
    back: 'Other session',
    reading: 'Reading the session',
    kept: (kept: number, calls: number) =>
      `Keeps ${f.count(kept)} of ${plural(calls, 'tool call', 'tool calls')}`,
    looked: (turns: number) => `${plural(turns, 'turn', 'turns')} looked at`,
    failedCalls: (n: number) => `${f.count(n)} failed`,
    unanswered: (n: number) => `${f.count(n)} without a result`,
    clean: 'no secret found',
    name: 'Name',
    type: 'Type',
    judged: (type: string) => `${type}, as its tools tell`,
    asJudged: 'as its tools tell',
    judgedOn: (counts: string) => `Calls: ${counts}`,
    judgedOnNothing: 'It called no tools',
    counted: (n: number, what: string) => `${f.count(n)} ${what}`,
    other: 'other',
    examples: 'Examples, at most',
    nothing: 'No tool call of its first turns worked, so there is nothing to keep. Choose another session.',
    create: 'Create',
    creating: 'Creating',
    taken: 'There is a template of this name. It would be replaced.',
    replace: 'Replace it',
    created: (name: string) => `Created template ${name}`,
  },

  broken: {
    count: (n: number) =>
      n === 1
        ? '1 file is no template and is left as it is:'
        : `${f.count(n)} files are no templates and are left as they are:`,
    more: (n: number) => `Show ${f.count(n)} more`,
    in: 'In',
    copyFolder: 'Copy the folder’s path',
    copyOurs: 'Copy our folder’s path',
    copyHermes: 'Copy the path of Hermes’ folder',
    copied: 'Copied the path',
  },
  loadFailed: 'The templates could not be read.',
  shownIsFrom: (ago: string) => `What is shown is from ${ago}.`,
  reading: 'Reading the templates',
  empty: {
    title: 'No templates yet',
    body: 'A template keeps the first tool calls of a session that went well, so that the next one begins with examples that worked. Secrets are taken out, and whether it helps is measured.',
    folder: 'They are kept in',
    suggested: 'These sessions are worth one:',
    none: 'No session is worth one yet: those with at least five tool calls and few errors are suggested here.',
  },
  noMatch: { title: 'No template of this type', body: 'No template is of this type.' },
  clear: 'Show all',

  keys: { choose: 'choose a template', open: 'read it', close: 'close it' },
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
