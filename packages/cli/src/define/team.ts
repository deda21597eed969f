import { ROLES } from '@panoptes/schema'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { rows, whole, within } from './values.ts'

const LEDGER = [
  '--ledger <address>',
  'the database: postgres://… (else PANOPTES_LEDGER, or team.ledger)',
] as const
const SPACE = ['--space <name>', 'in this space; without it team.space of config.yaml'] as const
const role = (text: string, value: string) => new Option('--role <role>', text).choices(ROLES).default(value)
const days = within(1, 3_650)

/** People, spaces and tokens of a team, asked of its database. */
export function defineTeam(program: Command, context: Context): void {
  const team = program
    .command('team')
    .summary('people, spaces and tokens of a team')
    .description(
      'Says who may come into a team, as what, and by which tokens. It asks the database itself, so whoever has its password may do all of this.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes team init --email ada@example.org --ledger postgres://panoptes@db/panoptes\n  $ panoptes team users add bob@example.org --role member\n  $ panoptes team tokens create --label "build machine" --scope ingest --days 90\n  $ panoptes team tokens revoke pan_Xy12ab',
    )

  team
    .command('init')
    .summary('make the team, and its first admin')
    .description('Makes the tables of a team and its first admin, and prints a token for them once.')
    .requiredOption('--email <address>', 'the address of the first admin')
    .option('--name <name>', 'their name')
    .option('--days <n>', 'the token ends after so many days', days)
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (options) => (await import('../commands/team/init.ts')).init(context, options))

  const spaces = team.command('spaces').summary('parts of a team that see nothing of each other')
  spaces
    .command('list', { isDefault: true })
    .summary('list them')
    .option(...LEDGER)
    .action(async (options) => (await import('../commands/team/spaces.ts')).listSpaces(context, options))
  spaces
    .command('add')
    .argument('<name>', 'a-z, 0-9 and -')
    .summary('make one')
    .option(...LEDGER)
    .action(async (name, options) =>
      (await import('../commands/team/spaces.ts')).addSpace(context, name, options),
    )
  spaces
    .command('remove')
    .argument('<name>', 'as listed')
    .summary('remove one for good, with all that it holds')
    .option('-y, --yes', 'also where it holds something')
    .option(...LEDGER)
    .action(async (name, options) =>
      (await import('../commands/team/spaces.ts')).removeSpace(context, name, options),
    )

  defineUsers(team, context)
  defineTokens(team, context)

  team
    .command('audit')
    .summary('what was done, and by whom; the newest first')
    .option('--space <name>', 'only in this space')
    .option('--actor <who>', 'only what they did: an address, or the label of a token')
    .option('--action <action>', 'only this, such as tokens or tokens.create')
    .option('--before <n>', 'only what is before this number', whole)
    .option('--limit <n>', 'at most so many', rows, 50)
    .option(...LEDGER)
    .action(async (options) => (await import('../commands/team/audit.ts')).audit(context, options))
}

function defineUsers(team: Command, context: Context): void {
  const users = team.command('users').summary('who is in the team, and as what')
  const load = () => import('../commands/team/users.ts')
  users
    .command('list', { isDefault: true })
    .summary('list the people of a space')
    .option('--all', 'of every space')
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (options) => (await load()).listUsers(context, options))
  users
    .command('add')
    .argument('<email>', 'their address')
    .summary('take somebody into a space')
    .option('--name <name>', 'their name')
    .addOption(role('what they may do: viewer, member or admin', 'member'))
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (email, options) => (await load()).addUser(context, email, options))
  users
    .command('role')
    .argument('<email>', 'their address')
    .argument('<role>', 'viewer, member or admin; none takes them out of the space')
    .summary('say what somebody may do in a space')
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (email, to, options) => (await load()).changeRole(context, email, to, options))
  for (const [name, summary] of [
    ['disable', 'let somebody in no more, in any space'],
    ['enable', 'let them in again'],
  ] as const)
    users
      .command(name)
      .argument('<email>', 'their address')
      .summary(summary)
      .option(...LEDGER)
      .action(async (email, options) =>
        (await load()).setDisabled(context, email, name === 'disable', options),
      )
  users
    .command('relink')
    .argument('<email>', 'their address')
    .summary('let somebody sign in with another account of the same address')
    .description(
      'Lets the next account that signs in with this address be theirs, with all that they have. The provider has to call the address verified.',
    )
    .option(...LEDGER)
    .action(async (email, options) => (await load()).relinkUser(context, email, options))
  users
    .command('remove')
    .argument('<email>', 'their address')
    .summary('take somebody out of every space, and end their tokens')
    .description(
      'Takes somebody out of every space, and ends their tokens and sign-ins. They stay known, so that they do not come in by themselves again; added again they have what is theirs.',
    )
    .option('-y, --yes', 'without a question')
    .option(...LEDGER)
    .action(async (email, options) => (await load()).removeUser(context, email, options))
}

function defineTokens(team: Command, context: Context): void {
  const tokens = team.command('tokens').summary('what machines and people come in by')
  const load = () => import('../commands/team/tokens.ts')
  tokens
    .command('list', { isDefault: true })
    .summary('list the tokens of a space, the newest first')
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (options) => (await load()).listTokens(context, options))
  tokens
    .command('create')
    .summary('make a token; it is printed once')
    .description(
      'Makes a token and prints it once. A token of a person with which one can sign in or ask models is made here, or by that person in the page: admins make only those that send events for others.',
    )
    .requiredOption('--label <text>', 'what it is for')
    .addOption(
      new Option(
        '--scope <scope>',
        'ingest sends events, full is the page and the command, gateway the models, metrics the figures for Prometheus',
      )
        .choices(['full', 'ingest', 'gateway', 'metrics'])
        .default('ingest'),
    )
    .addOption(role('what it may do; never more than the person whose it is', 'member'))
    .option('--days <n>', 'it ends after so many days', days)
    .option(
      '--user <email>',
      'whose it is; without it a machine’s. Whoever has the token acts as them: give it to nobody else',
    )
    .option('--file <file>', 'write it into this file, which only you can read, instead of printing it')
    .option('-f, --force', 'replace the file if it is there')
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (options) => (await load()).createToken(context, options))
  tokens
    .command('revoke')
    .argument('<token>', 'its id, or its first letters, as listed')
    .summary('refuse a token from now on')
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (which, options) => (await load()).revokeToken(context, which, options))
  tokens
    .command('free')
    .argument('<host>', 'the computer, as it calls itself')
    .summary('let a computer send its sessions with another token')
    .description(
      'Sessions of a computer come with the first token that told of them. This lets the next one take over, and the first stays good for others. Give the computer its new token first.',
    )
    .option(...SPACE)
    .option(...LEDGER)
    .action(async (host, options) => (await load()).freeComputer(context, host, options))
}
