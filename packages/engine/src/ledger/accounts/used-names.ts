const OF_ROWS = {
  agents: ['source', 'project', 'type', 'model', 'outcome'],
  claims: ['source', 'project', 'model', 'tier', 'verdict'],
  uses: ['source', 'project', 'skill'],
  followups: ['source', 'project'],
}

const used = [
  ...['source', 'project', 'model', 'name'].map(
    (column) => `SELECT ${column} FROM account_cost_sums WHERE day = ''`,
  ),
  ...Object.entries(OF_ROWS).flatMap(([kind, columns]) =>
    columns.map((column) => `SELECT ${column} FROM account_${kind}_sums WHERE day = -1`),
  ),
]

/** Takes away names that nothing has any more: the sums over all days have every one that is in use. */
export const DROP_NAMES = `DELETE FROM account_names WHERE id NOT IN (${used.join(' UNION ')})`
