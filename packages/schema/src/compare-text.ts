/** Orders texts by their code units, which is the same on every computer whatever its locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
