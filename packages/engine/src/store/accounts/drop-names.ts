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

/**
 * Deletes names that nothing refers to any more. It is enough to look at the sums over all days, since they
 * contain every name in use.
 */
export const DROP_NAMES = `DELETE FROM account_names WHERE id NOT IN (${used.join(' UNION ')})`
