import type { FoundSource } from '@panoptes/schema'
import { columns, shortenPath } from '../terminal/format.ts'
import type { Output } from '../terminal/output.ts'
import type { HookNews } from './hooks.ts'
import type { UpDocument } from './up-document.ts'

interface Shown {
  /** Whether a browser was opened. */
  readonly opened: boolean
  /** Whether the daemon runs in the background, so that nobody waits for Ctrl-C. */
  readonly detached: boolean
}

/** Formats the message that `panoptes up` prints when Panoptes is ready. */
export function announce(output: Output, news: UpDocument, { opened, detached }: Shown): string[] {
  const { bold, dim, gold } = output.paint
  const runs = news.already_running ? 'is already running at' : 'is running at'
  const lines = [`${gold('◉')} ${bold(`Panoptes ${news.version}`)} ${runs} ${bold(news.address)}`, '']
  if (news.warning) lines.push(`${gold('!')} ${news.warning}`, '')
  if (news.page_problem) lines.push(`${gold('!')} The page could not be built: ${news.page_problem}`, '')
  lines.push(
    opened
      ? 'Opened in your browser. To sign in another one, use this link once:'
      : 'Open this link to sign in. It works once, within ten minutes:',
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
    dim(`  Files are in ${shortenPath(news.home)}`),
    ...(isOfHome(news) ? [] : [dim(`  The store is ${news.ledger}`)]),
  )
  return lines
}

const aloneSteps = (output: Output, news: UpDocument): string[][] => [
  ...news.hooks.not_connected.map((id) => [
    `${output.command} hooks install ${id}`,
    `see what ${news.found.find((one) => one.id === id)?.name ?? id} does as it happens, and when it waits for you`,
  ]),
  [`${output.command} demo`, 'watch a simulated day of agents in a separate home'],
  [`${output.command} doctor`, 'check the setup'],
  ['POST /events', `send events with the token in ${shortenPath(`${news.home}/tokens/ingest`)}`],
]

/**
 * A hub receives events from other computers and serves other people, so its next steps create tokens and
 * users.
 */
const teamSteps = ({ command }: Output, hub: string): string[][] => [
  [`${command} team tokens create --label NAME --file NAME.token`, 'a token for a computer with agents'],
  [
    `${command} forward --to ${hub} --token-file NAME.token`,
    'on that computer: send its agent activity here',
  ],
  [`${command} team users add EMAIL`, 'add a person'],
  [`${command} doctor --team`, 'check the team setup'],
]

const isOfHome = ({ home, ledger }: UpDocument): boolean => ledger === null || ledger.startsWith(home)

function scriptLines({ script_problem, script_refreshed }: HookNews): string[] {
  if (script_problem) return [`  ! The hook script could not be updated: ${script_problem}`]
  return script_refreshed ? ['  The hook script was updated.'] : []
}

/** Lists each agent that was found with its state, and the absent ones in one line. */
export function foundLines(output: Output, found: readonly FoundSource[]): string[] {
  const { bold, dim } = output.paint
  const there = found.filter(({ state }) => state !== 'absent')
  const absent = found.filter(({ state, kind }) => state === 'absent' && kind === 'agent')
  const rows = there.map(({ name, detail, state }) => [state === 'found' ? '●' : '✕', name, detail])
  return [
    bold('On this computer'),
    ...(rows.length > 0 ? columns(rows) : ['  No agents and no model providers were found.']),
    ...there.flatMap(({ state, next }) => (state === 'unreadable' && next ? [`    ${next}`] : [])),
    ...(absent.length > 0 ? [dim(`  Not found: ${absent.map(({ name }) => name).join(', ')}`)] : []),
  ]
}
