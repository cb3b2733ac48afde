// A changed program only has to fail; what is the smallest case that shows it does not matter.
const fc = require('fast-check');

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
