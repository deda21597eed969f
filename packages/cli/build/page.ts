/** Test setups use this to build the page before they start. */
export { preparePage } from '../src/page/index.ts'
