import type { FoundSource } from '@panoptes/schema'
import type { Output } from '../terminal/output.ts'
import { columns, tilde } from '../terminal/words.ts'
import type { HookNews } from './hooks.ts'
import type { UpDocument } from './up-document.ts'

interface Shown {
  /** A browser was opened. */
  readonly opened: boolean
  /** The terminal is free again: nobody waits for Ctrl-C. */
  readonly detached: boolean
}

/** What `panoptes up` says when it is ready. */
export function announce(output: Output, news: UpDocument, { opened, detached }: Shown): string[] {
  const { bold, dim, gold } = output.paint
  const runs = news.already_running ? 'runs already at' : 'runs at'
  const lines = [`${gold('◉')} ${bold(`Panoptes ${news.version}`)} ${runs} ${bold(news.address)}`, '']
  if (news.warning) lines.push(`${gold('!')} ${news.warning}`, '')
  if (news.page_problem) lines.push(`${gold('!')} The page could not be built: ${news.page_problem}`, '')
  lines.push(
    opened
      ? 'Opened in your browser. Another one signs in once with this link:'
      : 'Open this link; it signs a browser in, once, within ten minutes:',
    `  ${bold(news.link)}`,
    '',
    ...foundLines(output, news.found),
    ...scriptLines(news.hooks),
    '',
    bold('Next'),
    ...columns([
      ...(news.hub === null ? aloneSteps(output, news) : teamSteps(output, news.hub)),
      detached ? [`${output.command} stop`, 'stop Panoptes'] : ['Ctrl-C', 'stop Panoptes'],
    ]),
    dim(`  Files are in ${tilde(news.home)}`),
    ...(isOfHome(news) ? [] : [dim(`  The ledger is ${news.ledger}`)]),
  )
  return lines
}

const aloneSteps = (output: Output, news: UpDocument): string[][] => [
  ...news.hooks.not_connected.map((id) => [
    `${output.command} hooks install ${id}`,
    `see at once what ${news.found.find((one) => one.id === id)?.name ?? id} does, and whether it waits for you`,
  ]),
  [`${output.command} demo`, 'see a made-up day of agents, in a home of its own'],
  [`${output.command} doctor`, 'check that all is well'],
  ['POST /events', `send events with the token in ${tilde(`${news.home}/tokens/ingest`)}`],
]

/** What a hub is for comes from other computers and is looked at by other people. */
const teamSteps = ({ command }: Output, hub: string): string[][] => [
  [`${command} team tokens create --label NAME --file NAME.token`, 'a token for a computer with agents'],
  [
    `${command} forward --to ${hub} --token-file NAME.token`,
    'on that computer: send here what its agents do',
  ],
  [`${command} team users add EMAIL`, 'take somebody else in'],
  [`${command} doctor --team`, 'check what the team stands on'],
]

const isOfHome = ({ home, ledger }: UpDocument): boolean => ledger === null || ledger.startsWith(home)

function scriptLines({ script_problem, script_refreshed }: HookNews): string[] {
  if (script_problem) return [`  ! The script that hooks run is not of this version: ${script_problem}`]
  return script_refreshed ? ['  The script that hooks run was brought up to date.'] : []
}

/** What is there, each with a word on it; what is not, in one line. */
export function foundLines(output: Output, found: readonly FoundSource[]): string[] {
  const { bold, dim } = output.paint
  const there = found.filter(({ state }) => state !== 'absent')
  const absent = found.filter(({ state, kind }) => state === 'absent' && kind === 'agent')
  const rows = there.map(({ name, detail, state }) => [state === 'found' ? '●' : '✕', name, detail])
  return [
    bold('On this computer'),
    ...(rows.length > 0 ? columns(rows) : ['  No agent and no provider of models was found.']),
    ...there.flatMap(({ state, next }) => (state === 'unreadable' && next ? [`    ${next}`] : [])),
    ...(absent.length > 0 ? [dim(`  Not found: ${absent.map(({ name }) => name).join(', ')}`)] : []),
  ]
}
