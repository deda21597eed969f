export { type DiscoverOptions, discover } from './discover.ts'
