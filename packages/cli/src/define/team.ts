import { ROLES } from '@panoptes/schema'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { parseRows, parseWhole, parseWithin } from './option-parsers.ts'

const STORE = [
  '--ledger, --store <address>',
  'the database: postgres://… (default: PANOPTES_LEDGER or team.ledger)',
] as const
const SPACE = ['--space <name>', 'the space (default: team.space)'] as const
const role = (text: string, value: string) => new Option('--role <role>', text).choices(ROLES).default(value)
const days = parseWithin(1, 3_650)

/** Defines the commands for people, spaces and tokens of a team, which use its database. */
export function defineTeam(program: Command, context: Context): void {
  const team = program
    .command('team')
    .summary('manage people, spaces and tokens of a team')
    .description(
      'Manages who has access to a team, with which role and token. It connects to the database directly, so anyone with the database password can use it.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes team init --email ada@example.org --store postgres://panoptes@db/panoptes\n  $ panoptes team users add bob@example.org --role member\n  $ panoptes team tokens create --label "build machine" --scope ingest --days 90\n  $ panoptes team tokens revoke pan_Xy12ab',
    )

  team
    .command('init')
    .summary('create the team and its first admin')
    .description("Creates the team's tables and its first admin, and prints the admin's token once.")
    .requiredOption('--email <address>', 'email of the first admin')
    .option('--name <name>', 'their name')
    .option('--days <n>', 'days until the token expires', days)
    .option(...SPACE)
    .option(...STORE)
    .action(async (options) => (await import('../commands/team/init.ts')).init(context, options))

  const spaces = team.command('spaces').summary('manage spaces, the isolated parts of a team')
  spaces
    .command('list', { isDefault: true })
    .summary('list spaces')
    .option(...STORE)
    .action(async (options) => (await import('../commands/team/spaces.ts')).listSpaces(context, options))
  spaces
    .command('add')
    .argument('<name>', 'a-z, 0-9 and -')
    .summary('create a space')
    .option(...STORE)
    .action(async (name, options) =>
      (await import('../commands/team/spaces.ts')).addSpace(context, name, options),
    )
  spaces
    .command('remove')
    .argument('<name>', 'its name, as listed')
    .summary('permanently delete a space with everything in it')
    .option('-y, --yes', 'delete it even if it is not empty')
    .option(...STORE)
    .action(async (name, options) =>
      (await import('../commands/team/spaces.ts')).removeSpace(context, name, options),
    )

  defineUsers(team, context)
  defineTokens(team, context)

  team
    .command('audit')
    .summary('list administrative actions, newest first')
    .option('--space <name>', 'only this space')
    .option('--actor <who>', 'only actions by this email or token label')
    .option('--action <action>', 'only this action, such as tokens or tokens.create')
    .option('--before <n>', 'only entries before this number', parseWhole)
    .option('--limit <n>', 'maximum number of rows', parseRows, 50)
    .option(...STORE)
    .action(async (options) => (await import('../commands/team/audit.ts')).audit(context, options))
}

function defineUsers(team: Command, context: Context): void {
  const users = team.command('users').summary('manage people and their roles')
  const load = () => import('../commands/team/users.ts')
  users
    .command('list', { isDefault: true })
    .summary('list the people of a space')
    .option('--all', 'in every space')
    .option(...SPACE)
    .option(...STORE)
    .action(async (options) => (await load()).listUsers(context, options))
  users
    .command('add')
    .argument('<email>', 'their address')
    .summary('add a person to a space')
    .option('--name <name>', 'their name')
    .addOption(role('their role: viewer, member or admin', 'member'))
    .option(...SPACE)
    .option(...STORE)
    .action(async (email, options) => (await load()).addUser(context, email, options))
  users
    .command('role')
    .argument('<email>', 'their address')
    .argument('<role>', 'viewer, member or admin; none removes them from the space')
    .summary("change a person's role in a space")
    .option(...SPACE)
    .option(...STORE)
    .action(async (email, to, options) => (await load()).changeRole(context, email, to, options))
  for (const [name, summary] of [
    ['disable', 'lock a person and their tokens out of every space'],
    ['enable', 'let a disabled person sign in again'],
  ] as const)
    users
      .command(name)
      .argument('<email>', 'their address')
      .summary(summary)
      .option(...STORE)
      .action(async (email, options) =>
        (await load()).setDisabled(context, email, name === 'disable', options),
      )
  users
    .command('relink')
    .argument('<email>', 'their address')
    .summary('let a person sign in with another account')
    .description(
      'Links the next account that signs in with this email to this person and their data. The provider must report the email as verified.',
    )
    .option(...STORE)
    .action(async (email, options) => (await load()).relinkUser(context, email, options))
  users
    .command('remove')
    .argument('<email>', 'their address')
    .summary('remove a person from every space and revoke their tokens')
    .description(
      'Removes a person from every space and ends their tokens and sign-ins. Their record stays, so they cannot rejoin by signing in. If you add them again, they get their data back.',
    )
    .option('-y, --yes', 'skip the confirmation')
    .option(...STORE)
    .action(async (email, options) => (await load()).removeUser(context, email, options))
}

function defineTokens(team: Command, context: Context): void {
  const tokens = team.command('tokens').summary('manage access tokens')
  const load = () => import('../commands/team/tokens.ts')
  tokens
    .command('list', { isDefault: true })
    .summary('list the tokens of a space, newest first')
    .option(...SPACE)
    .option(...STORE)
    .action(async (options) => (await load()).listTokens(context, options))
  tokens
    .command('create')
    .summary('create a token; it is printed once')
    .description(
      'Creates a token and prints it once. Personal tokens that sign in or use models can be created only with this command, or by the person on the page. On the page, admins can create only event-sending tokens for other people.',
    )
    .requiredOption('--label <text>', 'what it is for')
    .addOption(
      new Option(
        '--scope <scope>',
        'ingest: send events; full: use the page and the commands; gateway: use models; metrics: read metrics, for Prometheus',
      )
        .choices(['full', 'ingest', 'gateway', 'metrics'])
        .default('ingest'),
    )
    .addOption(role('its role, at most the role of its owner', 'member'))
    .option('--days <n>', 'days until it expires', days)
    .option(
      '--user <email>',
      'the person who owns it (default: nobody, for a machine). Anyone with the token acts as its owner, so keep it private',
    )
    .option('--file <file>', 'write it to this file, readable only by you, instead of printing it')
    .option('-f, --force', 'overwrite an existing file')
    .option(...SPACE)
    .option(...STORE)
    .action(async (options) => (await load()).createToken(context, options))
  tokens
    .command('revoke')
    .argument('<token>', 'its id, or its first characters, as listed')
    .summary('revoke a token')
    .option(...SPACE)
    .option(...STORE)
    .action(async (which, options) => (await load()).revokeToken(context, which, options))
  tokens
    .command('free')
    .argument('<host>', 'the name of the computer')
    .summary('let a computer send sessions with another token')
    .description(
      'A computer can send sessions only with the first token it used. This command lets its next token take over. Give the computer the new token first. The old token stays valid for other computers.',
    )
    .option(...SPACE)
    .option(...STORE)
    .action(async (host, options) => (await load()).freeComputer(context, host, options))
}
