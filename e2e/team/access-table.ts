/** One thing a hub does, as its OpenAPI document tells it. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly scope: 'open' | 'full' | 'ingest' | 'gateway' | 'metrics' | 'signed'
  readonly role: 'viewer' | 'member' | 'admin' | undefined
  /** Whom it is kept for, beyond the role. */
  readonly only: 'home' | 'main' | undefined
}

interface Operation {
  readonly 'x-scope': Endpoint['scope']
  readonly 'x-role'?: Endpoint['role']
  readonly 'x-only'?: Endpoint['only']
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export const endpointsOf = ({ paths }: OpenApi): readonly Endpoint[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        scope: operation['x-scope'],
        role: operation['x-role'],
        only: operation['x-only'],
      })),
    )
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))

export const COLUMNS = [
  'no token',
  'wrong',
  'expired',
  'revoked',
  'another space’s',
  'wrong scope',
  'lower role',
  'right',
] as const
export type Column = (typeof COLUMNS)[number]

export type Row = { readonly endpoint: Endpoint } & Readonly<Record<Column, string>>

const NEEDS: Readonly<Record<Endpoint['scope'], string>> = {
  open: 'nothing',
  signed: 'a signature',
  full: 'full',
  ingest: 'ingest, full',
  gateway: 'gateway, full',
  metrics: 'metrics, full',
}

const roleIn = ({ role, only }: Endpoint): string => {
  if (only === 'home') return 'the hub’s own token files'
  return only === 'main' ? 'admin of main' : (role ?? '—')
}

/** The page that says who may do what. */
export function accessPage(rows: readonly Row[]): string {
  const lines = rows.map(({ endpoint, ...answers }) => {
    const cells = COLUMNS.map((column) => answers[column])
    return `| \`${endpoint.method} ${endpoint.path}\` | ${[NEEDS[endpoint.scope], roleIn(endpoint), ...cells].join(' | ')} |`
  })
  return `# Who may ask what of a hub

Written by \`npm run access\`, which asks every endpoint of a real hub on a real PostgreSQL; \`npm test\` fails when an answer is another one.

- **scope**: what a token has to be for. **role**: what its holder has to be in the space, at least.
- **no token … another space’s**: what is answered to whoever has nothing good. It is one answer, the same for all of them in status, body and
  headers, so that nobody learns which tokens were once good. *Another space’s* is a good token of another space in a request that says
  which space it is for (\`panoptes-space\`); one that does not say so is about the space of its token, and finds nothing of any other.
- **wrong scope**, **lower role**: a good token that may do less; the answer says what is needed. — where there is nothing less.
- **right**: ✓ where a token that may do just this is let in; what comes then depends on what was asked.
- Tokens of a person: \`POST /api/team/tokens\` makes them for somebody else with the scope \`ingest\` alone (403 otherwise, and in the audit log); with any scope everybody makes their own
  (\`POST /api/me/tokens\`), and \`panoptes team tokens create --user\` does on the hub's own machine.

| endpoint | scope | role | ${COLUMNS.join(' | ')} |
|---|---|---|${COLUMNS.map(() => '---').join('|')}|
${lines.join('\n')}
`
}
