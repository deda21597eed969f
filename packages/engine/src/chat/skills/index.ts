export { createShortlister, type Shortlister } from './shortlist.ts'
